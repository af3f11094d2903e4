/** What every store must do: one list of checks that any test runner can loop over. */
import { claimChecks } from "./claim-checks.ts";
import { commitChecks } from "./commit-checks.ts";
import type { StoreCheck } from "./fixtures.ts";
import { forkChecks } from "./fork-checks.ts";
import { handoverChecks } from "./handover-checks.ts";
import { identifyChecks } from "./identify-checks.ts";
import { largeChecks } from "./large-checks.ts";
import { leaseChecks } from "./lease-checks.ts";
import { listChecks } from "./list-checks.ts";
import { memoryChecks } from "./memory-checks.ts";
import { parkChecks } from "./park-checks.ts";
import { readChecks } from "./read-checks.ts";
import { recordChecks } from "./record-checks.ts";
import { redactionChecks } from "./redaction-checks.ts";
import { turnChecks } from "./turn-checks.ts";
import { urgentChecks } from "./urgent-checks.ts";
import { variableChecks } from "./variable-checks.ts";

export type { StoreCheck } from "./fixtures.ts";

/**
 * The checks of the store port. Each takes a function that opens the store under test; the first time it must be empty. A check that fails
 * rejects. Times are real: leases are waited for up to a tenth of a second.
 *
 * ```ts
 * for (const { name, run } of storeChecks()) test(name, () => run(() => openMyStore()));
 * ```
 */
export function storeChecks(): readonly StoreCheck[] {
  return [
    ...commitChecks,
    ...turnChecks,
    ...readChecks,
    ...leaseChecks,
    ...claimChecks,
    ...urgentChecks,
    ...parkChecks,
    ...forkChecks,
    ...redactionChecks,
    ...identifyChecks,
    ...listChecks,
    ...memoryChecks,
    ...recordChecks,
    ...handoverChecks,
    ...variableChecks,
    ...largeChecks,
  ];
}

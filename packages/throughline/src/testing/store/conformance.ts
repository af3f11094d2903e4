/** Conformance checks for stores, as a list that any test runner can loop over. */
import { appendChecks } from "./append-checks.ts";
import { claimChecks, leaseChecks } from "./claim-checks.ts";
import { commitChecks } from "./commit-checks.ts";
import type { StoreCheck } from "./fixtures.ts";
import { forkChecks } from "./fork-checks.ts";
import { handoverChecks, turnChecks, urgentChecks } from "./turn-checks.ts";
import { identifyChecks, memoryChecks, variableChecks } from "./owner-checks.ts";
import { largeChecks, listChecks } from "./list-checks.ts";
import { parkChecks } from "./park-checks.ts";
import { readChecks } from "./read-checks.ts";
import { recordChecks, redactionChecks } from "./record-checks.ts";

export type { StoreCheck } from "./fixtures.ts";

/**
 * Returns the checks of the store port. Each takes a function that opens the store under test, which must initially be empty. A failed check rejects.
 * Times are real: leases are awaited for up to a tenth of a second.
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
    ...appendChecks,
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

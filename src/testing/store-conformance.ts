/** What every store must do: one list of checks that any test runner can loop over. */
import { claimChecks } from "./store-claim-checks.ts";
import { commitChecks } from "./store-commit-checks.ts";
import type { StoreCheck } from "./store-fixtures.ts";
import { forkChecks } from "./store-fork-checks.ts";
import { identifyChecks } from "./store-identify-checks.ts";
import { leaseChecks } from "./store-lease-checks.ts";
import { listChecks } from "./store-list-checks.ts";
import { readChecks } from "./store-read-checks.ts";
import { turnChecks } from "./store-turn-checks.ts";

export type { StoreCheck } from "./store-fixtures.ts";

/**
 * The checks of the store port. Each takes a function that opens the store under test; the first time it must be empty. A check that fails
 * rejects. Times are real: leases are waited for up to a tenth of a second.
 *
 * ```ts
 * for (const { name, run } of storeChecks()) test(name, () => run(() => openMyStore()));
 * ```
 */
export function storeChecks(): readonly StoreCheck[] {
  return [...commitChecks, ...turnChecks, ...readChecks, ...leaseChecks, ...claimChecks, ...forkChecks, ...identifyChecks, ...listChecks];
}

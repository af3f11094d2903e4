/** Stands for your systems: replace it with calls of your ticket and payment services. */
export interface Shop {
  /** Opens a ticket and returns its number. */
  openTicket(order: string, problem: string): string;
  /** Pays money back. A repeated call with the same key pays once. */
  refund(order: string, euros: number, key: string): void;
}

/** A shop that keeps tickets and refunds in memory. */
export function demoShop() {
  const tickets: string[] = [];
  const refunds = new Map<string, string>();
  return {
    tickets,
    refunds,
    openTicket: (order: string, problem: string) => `T-${tickets.push(`${order}: ${problem}`)}`,
    refund: (order: string, euros: number, key: string) => void refunds.set(key, `${euros} euros for ${order}`),
  } satisfies Shop & Record<string, unknown>;
}

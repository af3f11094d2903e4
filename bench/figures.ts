/** A measured number, and what it may be. */
export interface Figure {
  /** Such as `sqlite.bytes_per_turn`. */
  readonly id: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The most that it may be; a figure without one is for information. */
  readonly limit?: number;
  /** Whether it depends on how busy the machine is. */
  readonly timing: boolean;
  readonly details?: Readonly<Record<string, number | string>>;
}

/** What could not be measured, and why. */
export interface Skipped {
  readonly id: string;
  readonly reason: string;
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly skipped: readonly Skipped[];
}

export const within = (figure: Figure): boolean => figure.limit === undefined || figure.value <= figure.limit;

/** The value below which the given part of the samples lies. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** Three significant digits, so that a figure reads easily and compares well. */
export const round = (value: number): number => Number(value.toPrecision(3));

/** Milliseconds of each of `rounds` runs of `work`, after as many runs as warm it up. Several works take turns, so that all see the same machine. */
export async function timed<Name extends string>(
  works: Readonly<Record<Name, (round: number) => unknown>>,
  options: { readonly rounds: number; readonly warmUp: number },
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const samples = new Map<string, number[]>();
  for (let run = 0; run < options.warmUp + options.rounds; run++) {
    for (const [name, work] of Object.entries<(round: number) => unknown>(works)) {
      const began = performance.now();
      await work(run);
      const ms = performance.now() - began;
      if (run >= options.warmUp) samples.set(name, [...(samples.get(name) ?? []), ms]);
    }
  }
  return Object.fromEntries(samples) as unknown as Record<Name, readonly number[]>;
}

/** Where help can be found: services by country, as a table with sources. No number comes from anywhere else. */

/** A service of the table. */
export interface CrisisResource {
  /** Stable, such as `us-988`. */
  readonly id: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly name: string;
  readonly kind: string;
  readonly primary: boolean;
  /** As people dial them, in the country. */
  readonly phones: readonly string[];
  readonly text?: string;
  readonly chat?: string;
  readonly website?: string;
  readonly hours?: string;
  readonly languages: readonly string[];
  readonly audience?: string;
  readonly confirmed: boolean;
  readonly evidence_grade: "A" | "B" | "C" | "D";
  /** Day on which its sources were read. */
  readonly verified_at: string;
  readonly verified_by: string | null;
  /** Day from which on it is stale: at most 180 days after. */
  readonly next_review_at: string;
}

/** The table, as an operator ships it. */
export interface ResourceTable {
  readonly version: string;
  readonly services: readonly CrisisResource[];
  readonly emergency: Readonly<Record<string, { readonly number: string; readonly confirmed: boolean }>>;
  /** Directories for whoever is in no country of the table, or says none. */
  readonly directories: readonly { readonly name: string; readonly website: string }[];
}

/** How a look-up went: `found`; `stale`, what would be called first was to be reviewed before now; the others show directories. */
export const lookupStatuses = ["found", "no_location", "location_refused", "no_verified_results", "not_attempted", "stale", "lookup_error"] as const;
/** One of them. */
export type LookupStatus = (typeof lookupStatuses)[number];

/** What a look-up found. At most five rows, confirmed ones; stale ones only with their date, beside the directories. */
export interface ResourceLookup {
  readonly status: LookupStatus;
  /** ISO codes of what the person may have meant: two for a name that is two places. */
  readonly regions: readonly string[];
  /** The place as a person reads it; blank for none. */
  readonly location: string;
  readonly resources: readonly CrisisResource[];
  /** Ids of those that were not checked lately: shown only with their date. */
  readonly stale: readonly string[];
  /** Confirmed numbers alone; a reply says "your local emergency number" where there is none. */
  readonly emergency: readonly { readonly region: string; readonly number: string }[];
  readonly directories: ResourceTable["directories"];
  readonly table_version: string;
}

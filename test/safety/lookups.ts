import type { CrisisResource, ResourceLookup } from "../../packages/throughline/src/safety/resources/resource-table.ts";

const line: CrisisResource = {
  ...{ id: "us-988", country: "US", name: "988 Lifeline", kind: "crisis", primary: true, phones: ["988"], hours: "24/7", languages: ["en"] },
  ...{ confirmed: true, evidence_grade: "A", verified_at: "2026-11-01", verified_by: null, next_review_at: "2027-04-01" },
};

/** The country is not known. */
export const nowhere: ResourceLookup = {
  ...{ status: "no_location", regions: [], location: "", resources: [], stale: [], emergency: [], table_version: "1" },
  directories: [{ name: "Find a Helpline", website: "https://findahelpline.com" }],
};

export const found: ResourceLookup = {
  ...nowhere,
  ...{ status: "found", regions: ["US"], location: "the United States", resources: [line], emergency: [{ region: "US", number: "911" }] },
};

export const refused: ResourceLookup = { ...nowhere, status: "location_refused" };

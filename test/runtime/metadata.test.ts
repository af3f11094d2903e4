/** Keys of metadata that mean something to Throughline, wherever they stand. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../packages/throughline/src/index.ts";
import { code, started } from "./harness.ts";

const places = [
  "a new session",
  "a session",
  "a fork",
  "a new customer",
  "a customer",
  "a message",
  "an operator's message",
  "a custom event",
] as const;

/** Gives metadata to something. */
async function give(place: (typeof places)[number], metadata: JsonObject): Promise<unknown> {
  const { sessions, customers } = await started();
  const session = await sessions.open({ agent: "a1", customer: "c1" });
  const given: Record<typeof place, () => Promise<unknown>> = {
    "a new session": () => sessions.create({ agent: "a1", metadata }),
    "a session": () => session.setMetadata({ set: metadata }),
    "a fork": () => session.fork({ metadata }),
    "a new customer": () => customers.create({ id: "c2", metadata }),
    "a customer": () => customers.setMetadata("c1", { set: metadata }),
    "a message": () => session.post("hi", { metadata }),
    "an operator's message": () => session.postOperator("hi", { metadata }),
    "a custom event": () => session.postCustom({ page: 1 }, { metadata }),
  };
  return given[place]();
}

describe.each(places)("metadata of %s", (place) => {
  it.each([
    [{ session_key: "ticket 7", external_id: "x", event_webhook_url: "https://hooks.example.org/in?a=1", other: [null] }],
    [{ session_key: "x".repeat(200), event_webhook_url: "http://127.0.0.1:8080/in" }],
    [{ event_webhook_url: "http://localhost/in" }],
    [{ event_webhook_url: "http://[::1]:9/in" }],
    [{ event_webhook_url: `https://example.org/${"x".repeat(2_028)}` }],
  ])("may be %j", async (metadata) => {
    await give(place, metadata);
  });

  it.each<[JsonObject, string]>([
    [{ step_outputs: {} }, "metadata.reserved"],
    [{ session_key: "" }, "variables.invalid"],
    [{ session_key: 7 }, "variables.invalid"],
    [{ external_id: "x".repeat(201) }, "variables.invalid"],
    [{ external_id: null }, "variables.invalid"],
    [{ event_webhook_url: "hooks.example.org" }, "variables.invalid"],
    [{ event_webhook_url: "ftp://example.org" }, "variables.invalid"],
    [{ event_webhook_url: "http://example.org/in" }, "variables.invalid"],
    [{ event_webhook_url: "http://127.0.0.1.example.org/in" }, "variables.invalid"],
    [{ event_webhook_url: "https://me:word@example.org/in" }, "variables.invalid"],
    [{ event_webhook_url: "javascript:alert(1)" }, "variables.invalid"],
    [{ event_webhook_url: `https://example.org/${"x".repeat(2_029)}` }, "variables.invalid"],
    [{ event_webhook_url: ["https://example.org"] }, "variables.invalid"],
  ])("may not be %j", async (metadata, expected) => {
    expect(await code(give(place, metadata))).toBe(expected);
  });
});

it("metadata of a message stands with its event", async () => {
  const { sessions } = await started();
  const session = await sessions.create({ agent: "a1" });
  const { offset } = await session.post("hi", { metadata: { external_id: "x" } });
  expect((await session.event(offset)).metadata).toEqual({ external_id: "x" });
  const plain = await session.post("hi");
  expect(await session.event(plain.offset)).not.toHaveProperty("metadata");
});

describe("a key that Throughline writes", () => {
  it("cannot be taken away either; those that the integration writes can", async () => {
    const { sessions, customers } = await started();
    const session = await sessions.open({ agent: "a1", customer: "c1", metadata: { session_key: "k", external_id: "x" } });
    expect(await code(session.setMetadata({ unset: ["step_outputs"] }))).toBe("metadata.reserved");
    expect(await code(customers.setMetadata("c1", { unset: ["step_outputs"] }))).toBe("metadata.reserved");
    await session.setMetadata({ unset: ["external_id", "event_webhook_url"] });
    expect((await session.info()).metadata.values).toEqual({ session_key: "k" });
  });

  it("is a name like any other for a variable", async () => {
    const { sessions } = await started();
    const session = await sessions.open({ agent: "a1", customer: "c1" });
    await session.setVariables({ set: { step_outputs: 1, external_id: 2 } });
    expect((await session.variables()).map(({ name }) => name)).toEqual(["external_id", "step_outputs"]);
  });
});

/** Webhooks in throughline.yaml: what is read, what is hidden, what is refused, and that the service delivers by it. */
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { webhooksOf } from "../../packages/server/src/cli/commands/service-commands.ts";
import { printedSettings, settingsOf } from "../../packages/server/src/config/config-settings.ts";
import { silentLogger } from "../../packages/throughline/src/kernel/log.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { place } from "../config/place.ts";
import { echo, startServer } from "../setup/server.ts";
import { startReceiver } from "../setup/webhook-receiver.ts";

const bytes = "c2VjcmV0IGNhbmFyeSBvZiB0aGlydHktdHdvIGJ5dGVz";
const secret = `whsec_${bytes}`;

test("a file names targets, with secrets from elsewhere that nothing prints", () => {
  const yaml =
    "webhooks:\n  targets:\n    - name: crm\n      url: https://crm.example.com/events\n      secrets:\n        - ${HOOK_SECRET}\n      kinds: [message]\n";
  const { settings } = place(yaml).load({ HOOK_SECRET: secret });
  const [target] = settings.webhooks.targets;
  expect(target).toMatchObject({ name: "crm", url: "https://crm.example.com/events", kinds: ["message"], scopes: [] });
  expect(target?.secrets.map((one) => one.reveal())).toEqual([secret]);
  expect(printedSettings(settings, { redacted: true })).not.toContain(bytes);
  expect(inspect(settings, { depth: 9 })).not.toContain(bytes);
  expect(
    place(printedSettings(settings, { redacted: false }))
      .load()
      .settings.webhooks.targets[0]?.secrets[0]?.reveal(),
  ).toBe(secret);
});

describe("a target is refused", () => {
  const target = (members: string): string => `webhooks:\n  targets:\n    - {name: crm, ${members}}\n`;
  test.each([
    ["without an address", target("kinds: [message]"), "webhooks.targets[0]: needs either url or hosts"],
    ["with two kinds of address", target('url: "https://a.example/", hosts: [a.example]'), "webhooks.targets[0]: needs either url or hosts"],
    ["with another scheme", target('url: "ftp://a.example/"'), 'webhooks.targets[0].url: must be an http(s) address, got "ftp://a.example/"'],
    [
      "with a short secret",
      target(`url: "https://a.example/", secrets: [whsec_canary]`),
      "webhooks.targets[0].secrets[0]: must be whsec_ and 24 to 64 bytes in base64",
    ],
    ["with an unknown kind", target('url: "https://a.example/", kinds: [massage]'), "webhooks.targets[0].kinds[0]: must be one of"],
    [
      "with the name of another",
      'webhooks:\n  targets:\n    - {name: crm, url: "https://a.example/"}\n    - {name: crm, url: "https://b.example/"}\n',
      "webhooks.targets: has two of one name",
    ],
    ["with hosts that cover nothing", target('hosts: ["10.0.0.0/8"]'), "webhooks.targets[0].hosts[0]: must be a host, with or without a port"],
    [
      "with an allowed host that is a wildcard",
      'webhooks: {allow_hosts: ["*.internal"]}\n',
      "webhooks.allow_hosts[0]: must be a host or an IP address",
    ],
    [
      "with an allowed network for callbacks",
      'callbacks: {allow_hosts: ["10.0.0.0/8"]}\n',
      "callbacks.allow_hosts[0]: must be a host or an IP address",
    ],
    ["with an unknown key", target('url: "https://a.example/", secret: x'), "webhooks.targets[0].secret: is not a key; did you mean secrets?"],
  ])("%s", (_what, yaml, message) => {
    const lines = place(yaml).refused();
    expect(lines.join("\n")).toContain(message);
    expect(lines.join("\n")).not.toContain("canary");
  });

  test("by a variable of the environment, which cannot name one item of a list", () => {
    expect(place().refused({ THROUGHLINE__WEBHOOKS__TARGETS__URL: "https://a.example/" }).join("\n")).toContain("is not a setting");
  });
});

test("without targets nothing is wrapped, and with one the service delivers", async () => {
  const { url, port, count } = await startReceiver();
  const store = await openStore(":memory:");
  onTestFinished(() => store.close());
  const context = { store, agents: [echo], clock: systemClock, logger: silentLogger };
  expect(webhooksOf(settingsOf(), context)).toBeUndefined();
  const settings = settingsOf({
    webhooks: { targets: [{ name: "crm", url, secrets: [secret], kinds: ["message"] }], allow_hosts: [`127.0.0.1:${port}`] },
  });
  const webhooks = webhooksOf(settings, context) ?? expect.fail("no webhooks");
  const { runtime } = await startServer({ store: webhooks.store, webhooks });
  await (await runtime.sessions.create({ agent: "a1" })).send("hi");
  expect((await count(2)).map(({ body }) => (JSON.parse(body) as { readonly kind: string }).kind)).toEqual(["message", "message"]);
});

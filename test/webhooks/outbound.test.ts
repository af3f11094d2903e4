/** Requests to other servers: which addresses they reach, and what they send and read. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createOutbound, type OutboundOptions } from "../../packages/server/src/server/webhooks/outbound.ts";
import { isPublicAddress, parseTarget } from "../../packages/server/src/server/webhooks/public-address.ts";
import { fixedClock } from "../../packages/throughline/src/testing/test-clock.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "sent",
    (error: unknown) => (ThroughlineError.is(error) ? error.code : String(error)),
  );

/** A server on 127.0.0.1 that notes what it receives. */
async function receiver(answer: RequestListener = (_request, response) => void response.end("ok")): Promise<{
  readonly port: number;
  readonly received: { readonly request: IncomingMessage; readonly body: string }[];
  readonly server: Server;
}> {
  const received: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      received.push({ request, body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, received, server };
}

function outbound(options: OutboundOptions = {}): ReturnType<typeof createOutbound> {
  const made = createOutbound(options);
  onTestFinished(() => made.close());
  return made;
}

describe("addresses", () => {
  test.each([
    "8.8.8.8",
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "169.253.255.255",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450:4001:80b::200e",
    "2001:4860:4860::8888",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:0:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:10::1",
    "2001:20::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "3fff::1",
    "4000::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2606:4700::1111%eth0",
    "example.com",
    "",
  ])("%s is not", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("spellings of an address", () => {
  test.each([
    "http://2130706433/",
    "http://134744072/",
    "http://0x7f000001/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://8.8.2056/",
    "http://010.8.8.8/",
    "http://127.0.0.1./",
    "http://127。0。0。1/",
    "http://①②⑦.0.0.1/",
    "http://%31%32%37.0.0.1/",
    "http://user@example.com/",
    "http://user:secret@example.com/",
    "http://@example.com/",
    "http:example.com/",
    "http:///example.com/",
    "http:\\\\example.com\\",
    "http://example.com\\@127.0.0.1/",
    "http://exa mple.com/",
    "http://example.com/\n",
    "http://example.com:0/",
    "http://example.com:99999/",
    "http://./",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "data:text/plain,hi",
    "//example.com/",
    "example.com",
    "",
  ])("%j is refused", async (url) => {
    let asked = 0;
    const sender = outbound({ lookup: async () => (asked++, ["8.8.8.8"]) });
    expect(() => parseTarget(url)).toThrow(ThroughlineError);
    expect(await codeOf(sender.post(url, { body: "" }))).toBe("outbound.refused");
    expect(asked).toBe(0);
  });

  test.each(["http://127.0.0.1/", "http://[::1]/", "http://[::ffff:7f00:1]/", "http://169.254.169.254/latest/meta-data", "https://10.0.0.1:8443/"])(
    "%s is refused before a look-up",
    async (url) => {
      const sender = outbound({ lookup: async () => ["8.8.8.8"] });
      expect(() => sender.check(url)).toThrow(expect.objectContaining({ code: "outbound.refused" }));
      expect(await codeOf(sender.post(url, { body: "" }))).toBe("outbound.refused");
    },
  );

  test("an ordinary address keeps its port, path and query", () => {
    expect(parseTarget("https://Hooks.Example.com:8443/in?a=1#x").href).toBe("https://hooks.example.com:8443/in?a=1#x");
    expect(parseTarget("http://8.8.8.8/").hostname).toBe("8.8.8.8");
  });

  test("the message of a refusal does not repeat what may be secret in an address", () => {
    expect(() => parseTarget("http://user:secret@example.com/token")).toThrow(/example\.com/);
    expect(() => parseTarget("http://user:secret@example.com/token")).not.toThrow(/secret|token/);
  });

  test.each([
    ["ftp://example.com/services/secret", "ftp://example.com"],
    ["https://example.com:99999/secret", "https://example.com:99999"],
    ["https://example.com/a b?key=secret", "https://example.com"],
    ["https://example.com\\secret", "https://"],
    ["https://example.com%2Fsecret", "https://"],
    ["ftp://user:secret@example.com/", "ftp://"],
    ["https://user:secret/x@example.com/ ", "https://"],
    ["https:///secret", "https://"],
    ["https:/example.com/secret", "without scheme"],
    ["/services/secret", "without scheme"],
  ])("the message about the malformed %j shows scheme and host at most", (url, shown) => {
    expect(() => parseTarget(url)).toThrow(shown);
    expect(() => parseTarget(url)).not.toThrow(/secret/);
  });
});

describe("look-ups", () => {
  test.each([[["127.0.0.1"]], [["10.0.0.1"]], [["::1"]], [["8.8.8.8", "169.254.169.254"]], [["2606:4700::1111", "::ffff:10.0.0.1"]]])(
    "a name that leads to %j is refused",
    async (addresses) => {
      const { port, received } = await receiver();
      const sender = outbound({ lookup: async () => addresses });
      expect(await codeOf(sender.post(`http://hooks.example.com:${port}/`, { body: "x" }))).toBe("outbound.refused");
      expect(received).toHaveLength(0);
    },
  );

  test("the connection goes to the address that was checked, and the name is looked up once for each request", async () => {
    const { port, received } = await receiver();
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    let asked = 0;
    const sender = outbound({ lookup: async () => answers[asked++] ?? [], allowHosts: ["hooks.example.com"] });
    expect((await sender.post(`http://hooks.example.com:${port}/in?a=1`, { body: "{}" })).status).toBe(200);
    expect(asked).toBe(1);
    expect(received[0]?.request.headers.host).toBe(`hooks.example.com:${port}`);
    expect(received[0]?.request.url).toBe("/in?a=1");
  });

  test("a name that changes its address to a private one is refused from then on, also with an open connection", async () => {
    const { port, received } = await receiver();
    let asked = 0;
    // Pretends that the loopback address is public the first time: the host is allowed with this port only.
    const sender = outbound({ lookup: async () => (asked++ === 0 ? ["127.0.0.1"] : ["127.0.0.1", "10.0.0.1"]), allowHosts: [`a.example:${port}`] });
    expect((await sender.post(`http://a.example:${port}/`, { body: "1" })).status).toBe(200);
    expect(await codeOf(sender.post(`http://b.example:${port}/`, { body: "2" }))).toBe("outbound.refused");
    expect(received).toHaveLength(1);
  });

  test("the next address is tried when the first does not accept connections", async () => {
    const { port, received } = await receiver();
    const sender = outbound({ lookup: async () => ["127.0.0.2", "127.0.0.1"], allowHosts: ["hooks.example.com"] });
    expect((await sender.post(`http://hooks.example.com:${port}/`, { body: "x" })).status).toBe(200);
    expect(received).toHaveLength(1);
  });

  test("a name without an address fails, as does an unknown one", async () => {
    expect(await codeOf(outbound({ lookup: async () => [] }).post("http://a.example/", { body: "" }))).toBe("outbound.failed");
    const unknown = outbound({ lookup: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })) });
    await expect(unknown.post("http://a.example/", { body: "" })).rejects.toThrow("a.example could not be reached (ENOTFOUND).");
  });
});

describe("allowed hosts", () => {
  test.each([
    ["127.0.0.1", "http://127.0.0.1/", true],
    ["127.0.0.1:8080", "http://127.0.0.1:8080/", true],
    ["127.0.0.1:8080", "http://127.0.0.1:8081/", false],
    ["127.0.0.1:80", "http://127.0.0.1/", true],
    ["127.0.0.1:443", "http://127.0.0.1/", false],
    ["::1", "http://[::1]/", true],
    ["[::1]", "http://[::1]/", true],
    ["[::1]:8080", "http://[::1]:8080/", true],
    ["[::1]:8080", "http://[::1]/", false],
    ["127.0.0.1", "http://127.0.0.2/", false],
    ["0.1", "http://127.0.0.1/", false],
  ])("%s allows %s: %s", (host, url, is) => {
    const sender = outbound({ allowHosts: [host] });
    if (is) expect(sender.check(url).href).toBe(url);
    else expect(() => sender.check(url)).toThrow(expect.objectContaining({ code: "outbound.refused" }));
  });
});

test.each(["*", "*.example.com", "10.0.0.0/8", "http://127.0.0.1", "a.example:0", "a.example:70000", "a example", "", "::1/128"])(
  "an allowed host that can cover nothing is refused: %s",
  (host) => {
    expect(() => createOutbound({ allowHosts: [host] })).toThrow(expect.objectContaining({ code: "input.invalid" }));
  },
);

describe("a request", () => {
  const local = { allowHosts: ["127.0.0.1"] };

  test("has the given body and headers, and no credentials", async () => {
    const { port, received } = await receiver();
    const sender = outbound(local);
    await sender.post(`http://127.0.0.1:${port}/`, { body: "größe", headers: { "content-type": "application/json", "webhook-id": "d1" } });
    const { request, body } = received[0] ?? expect.fail("nothing was received");
    expect(request.method).toBe("POST");
    expect(body).toBe("größe");
    expect(Object.keys(request.headers).toSorted()).toEqual(["connection", "content-length", "content-type", "host", "webhook-id"]);
    for (const name of ["Authorization", "cookie", "Host", "transfer-encoding", "Proxy-Authorization"])
      expect(await codeOf(sender.post(`http://127.0.0.1:${port}/`, { body: "", headers: { [name]: "x" } }))).toBe("outbound.refused");
    expect(received).toHaveLength(1);
  });

  test.each([301, 302, 303, 307, 308])("does not follow a redirect with %d", async (status) => {
    const inner = await receiver();
    const outer = await receiver((_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${inner.port}/` });
      response.end();
    });
    const answer = await outbound(local).post(`http://127.0.0.1:${outer.port}/`, { body: "x" });
    expect(answer.status).toBe(status);
    expect(inner.received).toHaveLength(0);
  });

  test("reads only the beginning of a long answer", async () => {
    const { port } = await receiver((_request, response) => {
      const more = (): void => {
        if (!response.destroyed && response.write("x".repeat(65_536))) setImmediate(more);
      };
      response.on("drain", more);
      more();
    });
    const answer = await outbound({ ...local, answerBytes: 1000 }).post(`http://127.0.0.1:${port}/`, { body: "" });
    expect(answer).toMatchObject({ status: 200, cut: true, body: "x".repeat(1000) });
  });

  test("takes a limited time, and an answer whose body trickles or breaks off counts by its status", async () => {
    for (const end of [() => {}, (socket: Socket) => setTimeout(() => socket.destroy(), 50)]) {
      const trickling = createTcpServer((socket: Socket) => {
        socket.on("error", () => {}).write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx");
        end(socket);
      });
      await new Promise<void>((resolve) => trickling.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void trickling.close());
      const { port } = trickling.address() as AddressInfo;
      const sent = outbound({ ...local, timeoutMs: 1_000 }).post(`http://127.0.0.1:${port}/`, { body: "" });
      expect(await sent).toMatchObject({ status: 200, cut: true });
    }
  });

  test("takes a limited time for the answer", async () => {
    const clock = fixedClock();
    const { port, received } = await receiver(() => {});
    const sent = codeOf(outbound({ ...local, clock, timeoutMs: 5_000 }).post(`http://127.0.0.1:${port}/`, { body: "" }));
    await expect.poll(() => received.length).toBe(1);
    clock.advance(5_000);
    expect(await sent).toBe("outbound.failed");
  });

  test("takes a limited time for the look-up", async () => {
    const clock = fixedClock();
    const sent = codeOf(outbound({ clock, lookup: () => new Promise(() => {}) }).post("http://a.example/", { body: "" }));
    clock.advance(10_000);
    expect(await sent).toBe("outbound.failed");
  });

  test("ends with the signal", async () => {
    const { port } = await receiver(() => {});
    const leaving = new AbortController();
    const sent = outbound(local).post(`http://127.0.0.1:${port}/`, { body: "", signal: leaving.signal });
    leaving.abort(new Error("enough"));
    await expect(sent).rejects.toThrow("enough");
  });

  test("is not sent when beforeSend throws, which runs after the look-up", async () => {
    const { port, received } = await receiver();
    const order: string[] = [];
    const sender = outbound({ lookup: async () => (order.push("look-up"), ["127.0.0.1"]), allowHosts: ["a.example"] });
    const beforeSend = (): void => {
      order.push("before");
      throw new ThroughlineError("session.not_found");
    };
    expect(await codeOf(sender.post(`http://a.example:${port}/`, { body: "", beforeSend }))).toBe("session.not_found");
    expect(order).toEqual(["look-up", "before"]);
    expect(received).toHaveLength(0);
  });

  test("reuses a connection, and sends again over a new one when the server has closed it", async () => {
    const { port, received, server } = await receiver();
    const sender = outbound(local);
    const sockets = new Set<Socket>();
    server.on("connection", (socket) => sockets.add(socket));
    for (const body of ["1", "2"]) await sender.post(`http://127.0.0.1:${port}/`, { body });
    expect(sockets.size).toBe(1);
    for (const socket of sockets) socket.resetAndDestroy();
    expect((await sender.post(`http://127.0.0.1:${port}/`, { body: "3" })).status).toBe(200);
    expect(received.map(({ body }) => body)).toEqual(["1", "2", "3"]);
  });

  test.skipIf(spawnSync("openssl", ["version"]).status !== 0)(
    "names the host to a TLS server at its address, and checks the certificate",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "throughline-tls-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
      const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=hooks.example.com"];
      expect(spawnSync("openssl", made).status).toBe(0);
      const names: string[] = [];
      let requests = 0;
      const server = createTlsServer({
        key: await readFile(key),
        cert: await readFile(cert),
        SNICallback: (name, done) => (names.push(name), done(null)),
      });
      server.on("request", (_request, response: ServerResponse) => (requests++, void response.end()));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const sender = outbound({ lookup: async () => ["127.0.0.1"], allowHosts: ["hooks.example.com"] });
      const sent = sender.post(`https://hooks.example.com:${(server.address() as AddressInfo).port}/`, { body: "" });
      await expect(sent).rejects.toThrow("could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)");
      expect(names).toEqual(["hooks.example.com"]);
      expect(requests).toBe(0);
    },
  );

  test("fails if nothing listens, or if the answer is not HTTP", async () => {
    const nonsense = createTcpServer(
      (socket: Socket) =>
        void socket
          .on("error", () => {})
          .resume()
          .end("SSH-2.0\r\n"),
    );
    await new Promise<void>((resolve) => nonsense.listen(0, "127.0.0.1", resolve));
    const { port } = nonsense.address() as AddressInfo;
    expect(await codeOf(outbound(local).post(`http://127.0.0.1:${port}/`, { body: "" }))).toBe("outbound.failed");
    await new Promise<void>((resolve) => nonsense.close(() => resolve()));
    expect(await codeOf(outbound(local).post(`http://127.0.0.1:${port}/`, { body: "" }))).toBe("outbound.failed");
  });
});

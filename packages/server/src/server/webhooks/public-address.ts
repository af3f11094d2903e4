/** Decides which addresses a request to a foreign server may reach: public ones, never this machine, its network or its cloud's metadata. */
import { BlockList, isIP, isIPv4 } from "node:net";
import { seen, ThroughlineError } from "throughline/kernel";

/** IPv4 networks without public servers (IANA's special-purpose registry), and addresses at which clouds give away secrets of their machines. */
const privateIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "168.63.129.16/32",
] as const;

/**
 * IPv6 has one range of public addresses. Outside of it lie loopback, link-local, unique local and multicast addresses, and IPv4 addresses in the
 * forms `::ffff:a.b.c.d`, `::a.b.c.d` and `64:ff9b::a.b.c.d` (NAT64).
 */
const publicIpv6 = "2000::/3";

/** Networks in that range without public servers: Teredo and other protocols, examples, 6to4, AS112. */
const privateIpv6 = ["2001::/23", "2001:db8::/32", "2001:4:112::/48", "2002::/16", "2620:4f:8000::/48", "3fff::/20"] as const;

function listOf(networks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits = ""] = network.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const refusedIpv4 = listOf(privateIpv4, "ipv4");
const allowedIpv6 = listOf([publicIpv6], "ipv6");
const refusedIpv6 = listOf(privateIpv6, "ipv6");

/** Whether an IP address is one of a public server. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedIpv4.check(address, "ipv4");
    case 6:
      // A zone, as in `fe80::1%eth0`, only occurs in addresses of this network.
      return !address.includes("%") && allowedIpv6.check(address, "ipv6") && !refusedIpv6.check(address, "ipv6");
    default:
      return false;
  }
}

/** The error of a request that is refused before anything is sent. Its message names the host, never the path or the query, which may hold secrets. */
export const refusedRequest = (message: string): ThroughlineError => new ThroughlineError("outbound.refused", message);

/** The part between `//` and the path, as written. */
const written = /^https?:\/\/([^/?#]*)/i;

/** What an error shows of a malformed address: its scheme and host at most, and only if nothing in them can be part of a path or a password. */
function shownOf(text: string): string {
  const [, scheme, host = ""] = /^([a-z][a-z0-9+.-]{0,19}:\/\/)((?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d*)?(?=[/?#]|$))?/i.exec(text) ?? [];
  if (scheme === undefined) return text === "" ? "an empty text" : "a text without scheme and host";
  return seen(`${scheme}${text.includes("@") ? "" : host.slice(0, 60)}`);
}

/**
 * Parses the address of a request. Throws `outbound.refused` for other schemes than http and https, for user names, and for spellings of an IP
 * address that only some programs understand, such as `http://2130706433/` and `http://0177.1/`.
 */
export function parseTarget(text: string): URL {
  const authority = written.exec(text)?.[1];
  if (authority === undefined || authority === "" || /[\s\\]|[^\x21-\x7e]/.test(text) || !URL.canParse(text))
    throw refusedRequest(`An address must be an absolute http or https URL of printable ASCII, got ${shownOf(text)}.`);
  const url = new URL(text);
  if (authority.includes("@")) throw refusedRequest(`The address of ${url.hostname} must not have a user name or password.`);
  const host = bareHost(url);
  if (host === "") throw refusedRequest("An address must name a host.");
  const spelled = authority.replace(/:\d*$/, "").toLowerCase();
  if (isIPv4(host) && spelled !== host) throw refusedRequest(`The IP address ${host} must be written as four decimal numbers, got ${seen(spelled)}.`);
  if (url.port === "0") throw refusedRequest(`The address of ${host} names the port 0.`);
  return url;
}

/** The host without the brackets of an IPv6 address and without the dot of a fully qualified name. */
export const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

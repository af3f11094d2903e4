/** Milliseconds of processor time that this process has used: what other processes do at the same time does not count. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

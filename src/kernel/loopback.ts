const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i;

/** Whether a name or an address is one that only this machine reaches. */
export const isLoopback = (host: string): boolean => loopback.test(host);

/** Sets a map entry and makes it the most recent one. If the map then has more than `most` entries, removes the least recently set entry. */
export function setRecent<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

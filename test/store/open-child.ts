/** Opens a database several times at once when it is told to, and says what came of each. */
import { openSqliteStore } from "../../packages/throughline/src/store/sqlite/sqlite-store.ts";

process.once("message", (path: string) => {
  const open = async (): Promise<string> => {
    try {
      await (await openSqliteStore(path)).close();
      return "opened";
    } catch (error) {
      return String(error);
    }
  };
  void Promise.all(Array.from({ length: 5 }, open)).then((outcomes) => {
    process.send?.(outcomes);
    process.disconnect();
  });
});
process.send?.("ready");

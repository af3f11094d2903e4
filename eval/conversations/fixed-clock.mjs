/** Preloaded into the command line: its clock begins on a Monday evening and goes on from there, so that replies do not depend on the day of a run. */
const begin = Date.UTC(2026, 10, 23, 19, 0);
const offset = begin - Date.now();
const now = Date.now.bind(Date);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now() + offset);
    else super(...given);
  }
  static now() {
    return now() + offset;
  }
};

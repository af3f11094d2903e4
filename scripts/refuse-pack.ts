/** `npm pack` of the source would ship TypeScript that Node does not run below node_modules. */
console.error("Pack a built package instead: `npm run build`, then `npm pack ./dist/throughline`.");
process.exitCode = 1;

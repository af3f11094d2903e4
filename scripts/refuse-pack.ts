/** `npm pack` in the root would ship TypeScript that Node does not run below node_modules. */
console.error("Pack the built package instead: `npm run build`, then `npm pack ./dist`.");
process.exitCode = 1;

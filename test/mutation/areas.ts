/** What is mutated, and which tests must notice. Globs from the root of the repository, so that a file may move within its room. */
export interface Area {
  readonly name: string;
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

export const areas: readonly Area[] = [
  {
    name: "state",
    sources: ["packages/throughline/src/state/**/*.ts"],
    tests: ["test/state/**/*.test.ts", "test/session/{projection,result-text}.test.ts", "test/execution/state-*.test.ts"],
  },
  {
    name: "session",
    sources: ["packages/throughline/src/session/**/*.ts"],
    tests: [
      "test/session/**/*.test.ts",
      "test/runtime/{cases,edit,forks,handover,identify,metadata,patch,redact,summary,turns}.test.ts",
      "test/runtime/variables/*.test.ts",
    ],
  },
  {
    name: "turn",
    sources: ["packages/throughline/src/runtime/**/{answer,begin,finish,journal,turn}.ts"],
    tests: [
      "test/runtime/{cases,checkpoints,extension,extension-store,failures,handover,hooks,metadata,prompt,spent,stream,summary,supersede,turn,turns}.test.ts",
      "test/runtime/{state-cache,subagent,subagent-lifetime,subagent-wake,turn-execution,turn-path}.test.ts",
      "test/runtime/approval/*.test.ts",
      "test/runtime/loop/{answers,kept-results,loop,usage-kept}.test.ts",
      "test/runtime/safety/urgent.test.ts",
      "test/runtime/variables/{refresh,snapshot}.test.ts",
    ],
  },
  {
    name: "worker",
    sources: ["packages/throughline/src/runtime/**/{lease,turn-worker}.ts"],
    tests: ["test/runtime/{drive,lease,supersede,together,turn,worker}.test.ts", "test/runtime/safety/urgent.test.ts"],
  },
  { name: "commit", sources: ["packages/throughline/src/store/in-memory/**/*.ts"], tests: ["test/store/{conformance,cut,image,model}.test.ts"] },
  {
    name: "auth",
    sources: ["packages/server/src/server/auth/**/*.ts"],
    tests: ["test/server/{audit,auth,authenticator,front,rereading,stream-ends,tokens}.test.ts"],
  },
];

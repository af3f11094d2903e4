/** Long-term memory of users: entries, recall, and embedding models. @module */

// Declaration
export { memory } from "./memory/memory-extension.ts";
export { memoryOf } from "./memory/memory-settings.ts";
export type { MemoryOptions, MemorySettings } from "./memory/memory-settings.ts";

// Entries
export type {
  Arc,
  Authority,
  Confidence,
  Entity,
  EntryKind,
  EntryWrite,
  Fact,
  Kept,
  Profile,
  Recallable,
  RememberedTurn,
  Rule,
  Sensitivity,
  Source,
  Standing,
  Vector,
  WriteTiming,
  Candidate,
  FactCandidate,
  RuleCandidate,
} from "./memory/entry.ts";

// Embeddings
export type { EmbeddingKind, EmbeddingProvider } from "./memory/embed.ts";
export { aiSdkEmbedding } from "./embedding/ai-sdk-embedding.ts";
export type { AiSdkEmbeddingCall, AiSdkEmbeddingModel, AiSdkEmbeddingOptions } from "./embedding/ai-sdk-embedding.ts";
export { ollamaEmbedding } from "./embedding/embedding-servers.ts";
export type { OllamaEmbeddingOptions } from "./embedding/embedding-servers.ts";
export { openaiCompatibleEmbedding } from "./embedding/embedding-servers.ts";
export type { OpenaiCompatibleEmbeddingOptions } from "./embedding/embedding-servers.ts";
export type { EmbeddingOptions, EmbeddingServiceOptions } from "./embedding/embedding-provider.ts";
export type { ModelServerOptions } from "./model/openai-compatible/server-options.ts";
export { transformersEmbedding } from "./embedding/transformers.ts";
export type { Pooling, TransformersEmbedding, TransformersEmbeddingOptions } from "./embedding/transformers.ts";

// Index and languages
export { createMemoryIndex } from "./memory/recall/memory-index.ts";
export type { MemoryIndexOptions } from "./memory/recall/memory-index.ts";
export { createTextReader } from "./memory/recall/language.ts";
export type { ReadText, TextReader } from "./memory/recall/language.ts";
export { defaultWeights } from "./memory/recall/weights.ts";
export type { RetrievalWeights } from "./memory/recall/weights.ts";
export type { MemoryIndex, MemoryUnit, RankedUnit, Ranking, RankRequest } from "./memory/recall/unit.ts";
export type { Lexicon } from "./memory/recall/language.ts";
export type { TimeRange } from "./memory/text/dates.ts";
export { createTokenizer } from "./memory/text/tokenize.ts";
export type { Tokenizer, TokenizerOptions, Word } from "./memory/text/tokenize.ts";
export type { Locale, QuestionWords, TimeExpression, TimeUnit, TimeWords } from "./memory/text/locale.ts";
export { suppliedLocales } from "./memory/text/tokenize.ts";
export { english } from "./memory/text/languages.ts";
export { spanish } from "./memory/text/languages.ts";
export { german } from "./memory/text/languages.ts";
export { chinese } from "./memory/text/languages.ts";

// Prompt sections
export { proceduralRules, recalledMemory, recallToggle, sessionMemory } from "./context/stock-sections.ts";
export type { RememberedOptions } from "./context/stock-sections.ts";

// Extraction
export { ruleExtractor } from "./memory/write/rule-extractor.ts";
export type { RuleExtractorOptions } from "./memory/write/rule-extractor.ts";
export { englishRules } from "./memory/write/rules/rule-languages.ts";
export { spanishRules } from "./memory/write/rules/rule-languages.ts";
export { germanRules } from "./memory/write/rules/rule-languages.ts";
export { chineseRules } from "./memory/write/rules/rule-languages.ts";
export { ruleLanguages } from "./memory/write/rules/rule-languages.ts";
export type { Contrast, FactPhrase, ObjectForm, RuleLanguage, RulePhrase } from "./memory/write/rules/rule-languages.ts";
export { modelExtractor } from "./memory/write/model-extractor.ts";
export type { ModelExtractorOptions } from "./memory/write/model-extractor.ts";
export type { ArcDraft, Extraction, ExtractionInput, Extractor, SaidTurn } from "./memory/write/check-candidate.ts";
export { defaultVocabulary, defineVocabulary } from "./memory/write/fact-vocabulary.ts";
export type { CategoryRule, EntityRule, PredicateRule, Vocabulary } from "./memory/write/fact-vocabulary.ts";

// User control
export { memoryControl } from "./memory/turn/memory-control.ts";
export { memoryTools } from "./memory/turn/memory-control.ts";
export type { MemoryCommand, Place, Shown, ShownKind, SideEffect } from "./memory/control/commands.ts";
export type { Language } from "./memory/control/commands.ts";
export type {
  ControlOptions,
  ControlOutcome,
  Correction,
  EntryVersion,
  ExportedMemory,
  ForgetReport,
  ListedEntries,
  ListedEntry,
  Marks,
  MemoryConflict,
  MemoryStatus,
  NewFact,
  OwnerMemory,
  RecallOptions,
  RecallPreview,
  SessionMemoryControl,
} from "./memory/control/owner-memory.ts";
export type { EndedEpisode } from "./memory/keep/session-reports.ts";
export type { Why, WhyItem } from "./memory/keep/session-reports.ts";
export type { PendingAction, Target } from "./memory/control/commands.ts";

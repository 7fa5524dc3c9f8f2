/** How much a rule binds, in the words of RFC 2119. */
export type RuleLevel = 'must' | 'should';

/** One rule that an extension keeps or breaks. */
export interface ConformCase<World> {
  /** A short name that stays the same: `del-again`. */
  readonly name: string;
  /** What is seen when the rule is kept: `DEL may be repeated`. */
  readonly title: string;
  /** What the specification asks for, in a sentence. */
  readonly rule: string;
  /** Where it does: `CNI 1.1.0, section 2, DEL`. */
  readonly source: string;
  readonly level: RuleLevel;
  /** Why the rule does not apply; undefined when it does. May ask the extension. */
  skip?(world: World, signal: AbortSignal): string | undefined | Promise<string | undefined>;
  /** Throws a `Breach` when the rule is broken; anything else that is thrown is one as well. */
  run(world: World, signal: AbortSignal): Promise<void>;
}

/** Rules for one kind of extension, and where they are tried. Cases run one after the other, in order. */
export interface ConformSuite<World extends ConformWorld = ConformWorld> {
  /** `keelson conform KIND`. */
  readonly kind: string;
  /** What the rules are: `CNI 1.1.0`. */
  readonly title: string;
  readonly cases: readonly ConformCase<World>[];
  open(signal: AbortSignal): Promise<World>;
}

/** What cases work with. */
export interface ConformWorld extends AsyncDisposable {
  /** Removes what a case has left, before the next. */
  tidy(): Promise<void>;
}

/** A rule that was broken; the message says what was seen. */
export class Breach extends Error {
  override readonly name = 'Breach';
}

/** Throws a breach when the condition does not hold. */
export function expectThat(condition: boolean, seen: string): asserts condition {
  if (!condition) throw new Breach(seen);
}

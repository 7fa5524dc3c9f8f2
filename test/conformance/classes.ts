/** What a test needs: A the API server alone, B controllers, C containers, D networking, E two nodes, F volumes, G something else. */
export type ConformanceClass = 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G';

export const conformanceClasses: Readonly<Record<ConformanceClass, string>> = {
  A: 'API server alone',
  B: 'with controllers and a scheduler',
  C: 'with running containers',
  D: 'with cluster networking',
  E: 'with two nodes',
  F: 'with persistent volumes',
  G: 'with something of its own',
};

/** One of the tests that carry the Conformance label. */
export interface ConformanceTest {
  readonly class: ConformanceClass;
  readonly tags: readonly string[];
  /** File and line below test/e2e. */
  readonly source: string;
  /** The whole text of the spec, containers first. */
  readonly name: string;
}

/** Reads classes.tsv: a header, then class, tags, source and name a line. */
export function parseClasses(text: string): ConformanceTest[] {
  const [, ...lines] = text.trimEnd().split('\n');
  return lines.map((line, index) => {
    const [letter = '', tags = '', source = '', name = ''] = line.split('\t');
    if (!isClass(letter) || name === '') throw new Error(`Cannot read line ${index + 2} of the classes: "${line}"`);
    return { class: letter, tags: tags === '' ? [] : tags.split(','), source, name };
  });
}

export function isClass(letter: string): letter is ConformanceClass {
  return Object.hasOwn(conformanceClasses, letter);
}

export interface Selection {
  readonly classes: readonly ConformanceClass[];
  /** Only tests whose name matches. */
  readonly focus?: RegExp;
  /** At most this many, spread evenly over those that fit. */
  readonly sample?: number;
}

export function selectTests(
  tests: readonly ConformanceTest[],
  { classes, focus, sample }: Selection,
): ConformanceTest[] {
  const fitting = tests.filter(
    (test) => classes.includes(test.class) && (focus === undefined || focus.test(test.name)),
  );
  if (sample === undefined || sample >= fitting.length) return fitting;
  return Array.from({ length: sample }, (_, index) => fitting[Math.floor((index * fitting.length) / sample)]).filter(
    (test) => test !== undefined,
  );
}

/** A pattern in Go's syntax that matches these tests and no others. */
export function focusOf(tests: readonly ConformanceTest[]): string {
  return `(${tests.map(({ name }) => escapePattern(name)).join('|')})$`;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

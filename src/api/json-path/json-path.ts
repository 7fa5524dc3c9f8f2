import { ValueError } from '../values/index.ts';
import { follow } from './path-steps.ts';
import { TemplateParser } from './template-parser.ts';

/**
 * A JSONPath template as kubectl and CustomResourceDefinitions write it: `{.spec.replicas}`. Of several parts in braces, the
 * first is looked up.
 */
export interface JsonPath {
  /** What the path finds; throws a `ValueError` where the object is not as the path takes it to be. */
  find(object: unknown): readonly unknown[];
}

/** Paths are read by recursion, and upstream has no bound. */
const MAX_LENGTH = 16_384;

/** Throws a `ValueError` with Go's words when the template is malformed. */
export function parseJsonPath(template: string): JsonPath {
  if (template.length > MAX_LENGTH) throw new ValueError(`the path is longer than ${MAX_LENGTH} characters`);
  const [first] = new TemplateParser(template).parse();
  return { find: (object) => (first === undefined ? [] : follow([object], first)) };
}

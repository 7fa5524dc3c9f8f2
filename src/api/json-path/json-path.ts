import { ValueError } from '../values/index.ts';
import { follow } from './path-steps.ts';
import { TemplateParser } from './template-parser.ts';

/**
 * A JSONPath template as in kubectl and CustomResourceDefinitions: `{.spec.replicas}`. Of several parts in braces, only the
 * first is evaluated.
 */
export interface JsonPath {
  /** The values at the path; throws a `ValueError` if the object does not have the expected structure. */
  find(object: unknown): readonly unknown[];
}

/** Limits recursion in the parser; upstream has no limit. */
const MAX_LENGTH = 16_384;

/** Throws a `ValueError` in Go's words if the template is malformed. */
export function parseJsonPath(template: string): JsonPath {
  if (template.length > MAX_LENGTH) throw new ValueError(`the path is longer than ${MAX_LENGTH} characters`);
  const [first] = new TemplateParser(template).parse();
  return { find: (object) => (first === undefined ? [] : follow([object], first)) };
}

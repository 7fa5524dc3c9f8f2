import { duplicate, type FieldError, invalidValue, required, tooMany } from '../../api/index.ts';
import {
  authorizationEnvironment,
  compileAuthorizationCondition,
  type Environment,
  type Program,
} from '../../cel/index.ts';
import type { AccessQuestion } from './access-review.ts';

const MAX_CONDITIONS = 64;

interface CompiledCondition {
  readonly text: string;
  readonly program: Program;
}

/** The result of a webhook's match conditions for a request. */
export type ConditionsVerdict =
  | { readonly type: 'match' }
  | { readonly type: 'excluded' }
  | { readonly type: 'error'; readonly message: string };

/** A webhook's match conditions, from an AuthorizationConfiguration; the webhook is asked only when all of them hold. */
export class AccessConditions {
  readonly #conditions: readonly CompiledCondition[];

  private constructor(conditions: readonly CompiledCondition[]) {
    this.#conditions = conditions;
  }

  /** Compiles expressions; adds their errors, with upstream's texts, to `errors`. */
  static compile(texts: readonly string[], path: string, errors: FieldError[]): AccessConditions {
    if (texts.length > MAX_CONDITIONS) {
      errors.push(tooMany(path, texts.length, MAX_CONDITIONS));
      return new AccessConditions([]);
    }
    const environment: Environment = authorizationEnvironment();
    const seen = new Set<string>();
    const compiled = texts.flatMap((text, index): readonly CompiledCondition[] => {
      const place = `${path}[${index}].expression`;
      if (text.trim() === '') errors.push(required(place));
      else if (seen.has(text)) errors.push(duplicate(place, text));
      else {
        seen.add(text);
        const result = compileAuthorizationCondition(environment, text);
        if (result.ok) return [{ text, program: result.program }];
        errors.push(invalidValue(place, text, result.problem.detail));
      }
      return [];
    });
    return new AccessConditions(compiled);
  }

  get texts(): readonly string[] {
    return this.#conditions.map(({ text }) => text);
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** The first condition that is false decides; errors count only when none is false. Each condition has its own cost limit. */
  judge(spec: AccessQuestion): ConditionsVerdict {
    const request = requestValue(spec);
    const errors: string[] = [];
    for (const { text, program } of this.#conditions) {
      const evaluation = program.evaluate({ request });
      if (!evaluation.ok)
        errors.push(`cel evaluation error: expression '${text}' resulted in error: ${evaluation.error}`);
      else if (evaluation.value === false) return { type: 'excluded' };
    }
    if (errors.length === 0) return { type: 'match' };
    return { type: 'error', message: errors.length === 1 ? errors.join() : `[${errors.join(', ')}]` };
  }
}

/** Expressions see all members, even the empty ones that reviews omit. */
function requestValue(spec: AccessQuestion): object {
  const { user = '', groups = [], uid = '', extra = {}, resourceAttributes, nonResourceAttributes } = spec;
  return {
    user,
    groups,
    uid,
    extra,
    ...(resourceAttributes === undefined ? {} : { resourceAttributes: { ...NO_RESOURCE, ...resourceAttributes } }),
    ...(nonResourceAttributes === undefined
      ? {}
      : { nonResourceAttributes: { path: '', verb: '', ...nonResourceAttributes } }),
  };
}

const NO_RESOURCE = { namespace: '', verb: '', group: '', version: '', resource: '', subresource: '', name: '' };

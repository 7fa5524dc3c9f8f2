import { fieldErrorText } from '../../api/index.ts';
import { structuralShape } from '../../cel/index.ts';
import { checkEmbedded } from '../values/check-embedded.ts';
import type { Schema } from './definition.ts';

/** Where a default is: the innermost whole object around it, and the path from there. */
export interface DefaultPlace {
  readonly path: string;
  readonly object: Schema;
  readonly steps: readonly ({ readonly type: 'item' } | { readonly type: 'field'; readonly name: string })[];
  /** Inside the metadata, kind or apiVersion of that object. */
  readonly isInsideMeta: boolean;
}

/** The problem with an object that consists only of a default for its metadata, kind or apiVersion. */
export function surroundingProblem(value: unknown, { object, steps }: DefaultPlace): string | undefined {
  const around = steps.reduceRight<unknown>(
    (inner, step) => (step.type === 'item' ? [inner] : { [step.name]: inner }),
    value,
  );
  const whole = { apiVersion: 'validation/v1', kind: 'Validation', ...(around as object) };
  const texts = checkEmbedded(whole, structuralShape(object))
    .map(fieldErrorText)
    .map((text) => text.replace(/^\./, ''));
  return texts.length < 2 ? texts[0] : `[${texts.join(', ')}]`;
}

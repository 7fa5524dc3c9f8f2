import { badRequest, type FieldError, forbiddenField, invalid, invalidValue } from '../../api/index.ts';
import type { Call } from '../../apiserver/index.ts';

/** Refuses options of a pod's log that make no sense, before anything is looked up. */
export function checkLogOptions({ query, info }: Call): void {
  const number = (name: string): number | undefined => readNumber(query.get(name));
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map(number);
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalidValue('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(invalidValue('limitBytes', limitBytes, 'must be greater than 0'));
  }
  if (sinceSeconds !== undefined && query.get('sinceTime') !== '') {
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalidValue('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (errors.length > 0) throw invalid({ group: '', resource: 'PodLogOptions' }, info.name, errors);
}

function readNumber(text: string): number | undefined {
  if (text === '') return undefined;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

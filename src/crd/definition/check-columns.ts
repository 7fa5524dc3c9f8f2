import { type FieldError, invalidValue, required } from '../../api/index.ts';
import type { CustomResourceColumnDefinition, CustomResourceSubresources } from '../../api/types/apiextensions/v1.d.ts';
import { pointerValue } from './unversioned-values.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Problems of a printer column. As upstream does, its path is only parsed when a table is made. */
export function checkColumn(column: CustomResourceColumnDefinition, path: string): FieldError[] {
  const { name = '', type = '', format = '', jsonPath = '' } = column;
  const errors: FieldError[] = [];
  if (name === '') errors.push(required(`${path}.name`));
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (type === '') errors.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalidValue(`${path}.type`, type, types));
  if (format !== '' && !COLUMN_FORMATS.includes(format))
    errors.push(invalidValue(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  errors.push(...checkPath(jsonPath, `${path}.JSONPath`));
  return errors;
}

function checkPath(text: string, path: string): FieldError[] {
  if (text === '') return [required(path)];
  return text.startsWith('.') ? [] : [invalidValue(path, text, 'must be a simple json path starting with .')];
}

export function checkSubresources(subresources: CustomResourceSubresources | undefined, path: string): FieldError[] {
  const { scale } = subresources ?? {};
  if (scale === undefined) return [];
  const { specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = '' } = scale;
  return [
    ...checkPathUnder(specReplicasPath, '.spec', `${path}.scale.specReplicasPath`),
    ...checkPathUnder(statusReplicasPath, '.status', `${path}.scale.statusReplicasPath`),
    ...(labelSelectorPath === '' ? [] : checkSelectorPath(labelSelectorPath, `${path}.scale.labelSelectorPath`)),
  ];
}

function checkPathUnder(text: string, root: string, path: string): FieldError[] {
  const errors = checkPath(text, path);
  if (errors.length > 0 || text.startsWith(`${root}.`)) return errors;
  return [invalidValue(path, text, `should be a json path under ${root}`)];
}

function checkSelectorPath(text: string, path: string): FieldError[] {
  const errors = checkPath(text, path);
  if (errors.length > 0 || /^\.(spec|status)\./.test(text)) return errors;
  return [invalidValue(path, pointerValue(text), 'should be a json path under either .spec or .status')];
}

import type { FieldError } from '../../api/index.ts';
import type { RuntimeClass } from '../../api/types/node/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import { checkResourceAmount, checkContainerResourceName } from '../core/resource-rules.ts';

export function checkRuntimeClass({ overhead, scheduling }: RuntimeClass): FieldError[] {
  return [
    ...Object.entries(overhead?.podFixed ?? {}).flatMap(([name, text]) => [
      ...checkContainerResourceName(name, `overhead.podFixed.limits[${name}]`),
      ...checkResourceAmount(name, text, `overhead.podFixed.limits[${name}]`),
    ]),
    ...checkLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector'),
  ];
}

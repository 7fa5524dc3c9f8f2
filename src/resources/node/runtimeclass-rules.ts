import type { FieldError } from '../../api/index.ts';
import type { RuntimeClass } from '../../api/types/node/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import { checkTolerations } from '../core/toleration-rules.ts';
import { checkResourceAmount, checkContainerResourceName } from '../core/resource-rules.ts';

export function checkRuntimeClass({ overhead, scheduling }: RuntimeClass): FieldError[] {
  return [
    ...Object.entries(overhead?.podFixed ?? {}).flatMap(([name, text]) => [
      ...checkContainerResourceName(name, `overhead.limits[${name}]`),
      ...checkResourceAmount(name, text, `overhead.limits[${name}]`),
    ]),
    ...checkLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector'),
    ...checkTolerations(scheduling?.tolerations ?? [], 'scheduling.tolerations'),
  ];
}

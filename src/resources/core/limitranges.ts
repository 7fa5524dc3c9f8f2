import { withMeta } from '../../api/index.ts';
import type { LimitRange, LimitRangeItem } from '../../api/types/core/v1.d.ts';
import { defineKind } from '../kind.ts';
import { checkLimitRange } from './limitrange-rules.ts';
import { missingAmounts, roundToMilli, withAmounts } from './resource-list.ts';

export const limitRanges = defineKind<LimitRange>({
  group: '',
  plural: 'limitranges',
  createOnUpdate: true,

  applyDefaults({ spec }) {
    for (const item of spec.limits ?? []) {
      if (item.type === 'Container') defaultItem(item);
      for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) {
        roundToMilli(list);
      }
    }
  },

  prepareForCreate(object, { newUid }) {
    if ((object.metadata.name ?? '') === '') object.metadata = withMeta(object.metadata, { name: newUid() });
  },

  judges: ['spec.limits'],
  validate: checkLimitRange,
});

/** A container that states nothing gets the most it may have, and asks for what it gets. */
function defaultItem(item: LimitRangeItem): void {
  const limits = missingAmounts(item.default, item.max);
  if (limits !== undefined) item.default = withAmounts(item.default, limits);
  const requests = missingAmounts(item.defaultRequest, item.default);
  if (requests !== undefined) item.defaultRequest = withAmounts(item.defaultRequest, requests);
  const least = missingAmounts(item.defaultRequest, item.min);
  if (least !== undefined) item.defaultRequest = withAmounts(item.defaultRequest, least);
}

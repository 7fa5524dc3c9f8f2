import { index, Pod } from '../client/index.ts';

/** Pods by the name of their node. */
export const podsByNode = index(Pod, ({ spec }) => (spec?.nodeName === '' ? undefined : spec?.nodeName));

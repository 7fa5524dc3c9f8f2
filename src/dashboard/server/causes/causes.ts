import type { CauseGraph } from '../../protocol.ts';
import type { Endpoint } from '../endpoint.ts';
import { readCauseQuery } from './cause-query.ts';
import { inferredCauses } from './inferred-causes.ts';
import { recordedCauses } from './recorded-causes.ts';

/** `/keelson/causes`: what led to an object, a request or a change, and what it led to. */
export const causes: Endpoint = async ({ query, viewer, signal }): Promise<CauseGraph> => {
  const asked = readCauseQuery(query);
  const { client } = viewer.viewer;
  const recorded = await recordedCauses(client, asked, signal);
  // what happened before the first question is not recorded
  if (recorded !== undefined && (recorded.focus !== undefined || asked.resource === '')) return recorded;
  return inferredCauses(asked, { client, past: await viewer.past(signal), signal });
};

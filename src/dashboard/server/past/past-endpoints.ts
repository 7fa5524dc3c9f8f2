import { notFound } from '../../../api/client.ts';
import type { Endpoint, EndpointCall } from '../endpoint.ts';
import type { PastSource } from './past-source.ts';

/** `/keelson/history`, `/keelson/history/moments`, `/keelson/history/REVISION`. */
export const history: Endpoint = async (call) => {
  const past = await pastOf(call);
  if (call.rest === '') return past.page(call.query);
  return call.rest === 'moments' ? past.moments(call.query) : past.change(call.rest);
};

/** `/keelson/state`: a list as it was. */
export const state: Endpoint = async (call) => (await pastOf(call)).state(call.query);

async function pastOf({ viewer, signal }: EndpointCall): Promise<PastSource> {
  const past = await viewer.past(signal);
  if (past === undefined) throw notFound({ group: '', resource: 'histories' }, 'this cluster');
  return past;
}

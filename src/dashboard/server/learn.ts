import { notFound } from '../../api/client.ts';
import type { LearnList } from '../protocol.ts';
import type { Endpoint } from './endpoint.ts';

/** `/keelson/learn`: the walks of this cluster. */
export const learn: Endpoint = async ({ settings: { walks } }): Promise<LearnList> => {
  if (walks === undefined) throw notFound({ group: '', resource: 'walks' }, 'learn');
  return { walks };
};

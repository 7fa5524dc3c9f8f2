import { listOptions } from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { rangeFor } from './list.ts';
import { parseRevision } from './revision-rules.ts';
import { selection } from './selection.ts';
import { WatchEvents } from './watch-events.ts';

/** GET …?watch=true: the initial state, if requested, then every change until the watch times out. */
export async function watch(call: Call, endpoint: Endpoint): Promise<Answer> {
  const { resource } = endpoint;
  const options = listOptions(call.request.query, true);
  const { namespace, name } = call.info;
  const events = new WatchEvents(endpoint, {
    selected: selection(resource, options, name),
    range: rangeFor(resource, { namespace, name }),
    resourceVersion: parseRevision(options.resourceVersion, false),
    options,
    signal: call.request.signal,
    begun: () => call.record.served(),
  });
  return { type: 'watch', resource, events };
}

import type { Call, Principal, Stage } from '../../apiserver/index.ts';
import type { Clock } from '../../base/index.ts';

/** Prints a line for each request that came over the network, when it has finished: `201 create pods default/web by admin (4 ms)`. */
export function requestLines(print: (line: string) => void, clock: Clock): Stage {
  return (call, next) => {
    if (call.request.takesObjects) return next(call); // programs of this process send requests all the time
    const start = clock.monotonic();
    call.record.onFinish(({ code, outcome }) => {
      const ms = Math.round(clock.monotonic() - start);
      print(
        `${code === 0 ? '---' : code} ${targetOf(call)} by ${userOf(call.principal)} (${ms} ms${outcome === 'cut' ? ', cut' : ''})`,
      );
    });
    return next(call);
  };
}

function targetOf({ info, request: { uri } }: Call): string {
  if (!info.isResource) return `${info.verb} ${printable(uri)}`;
  const { verb, group, resource, subresource, namespace, name } = info;
  const kind = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`;
  const one = name === '' && verb !== 'create' ? '*' : name;
  const object = namespace === '' || resource === 'namespaces' ? name : `${namespace}${one === '' ? '' : `/${one}`}`;
  return printable(`${verb} ${kind}${object === '' ? '' : ` ${object}`}`);
}

function userOf({ user, impersonation }: Principal): string {
  return printable(impersonation === undefined ? user.name : `${impersonation.requestor.name} as ${user.name}`);
}

/** Text from a client must not move the cursor or start new lines. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\xa0-\ud7ff\ue000-\uffff]/gu, '?').slice(0, 1000);
}

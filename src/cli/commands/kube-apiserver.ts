import { RealClock } from '../../base/index.ts';
import type { Command, CommandContext } from '../command.ts';
import { askForApiserver } from '../shared/ask-for-apiserver.ts';
import { ensureServer, type ServerPlace } from '../shared/connect-to-server.ts';
import { sharedFolder } from '../shared/shared-folder.ts';

/** `keelson kube-apiserver`: `keelson apiserver` for test suites that start many, one after the other. */
export const kubeApiserverCommand: Command = {
  usage: 'Usage: keelson kube-apiserver [FLAGS]\n\nThe same as keelson apiserver.',
  async run(args, context) {
    const { environment, signal } = context;
    const place = await sharedPlace(context);
    if (place !== undefined) {
      const request = { type: 'apiserver', args, environment: ownVariables(environment) } as const;
      const code = await askForApiserver(request, context, {
        ...place,
        clock: new RealClock(),
        signal,
        giveUpMs: GIVE_UP_MS,
      });
      if (code !== undefined) return code;
    }
    const { apiserverCommand } = await import('./apiserver.ts');
    return apiserverCommand.run(args, context);
  },
};

const IDLE = '30s';

/** Suites wait twenty seconds for their API server. */
const GIVE_UP_MS = 5000;

/** The place of the server that test suites of this user share; undefined if they should not. */
async function sharedPlace({ environment, program }: CommandContext): Promise<ServerPlace | undefined> {
  if (program === undefined || environment['KEELSON_SHARE'] === 'false') return undefined;
  const folder = await sharedFolder(program, environment).catch(() => undefined); // a separate process needs no folder
  return folder === undefined ? undefined : { program, folder, idle: IDLE };
}

/** Starts the shared server while etcd starts, which test suites start first. */
export async function prepareSharedServer(context: CommandContext): Promise<void> {
  const place = await sharedPlace(context);
  if (place !== undefined) await ensureServer(place);
}

function ownVariables(environment: CommandContext['environment']): CommandContext['environment'] {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith('KEELSON_')));
}

import { spawnSync } from 'node:child_process';

const MARK = 'KEELSON_IN_OWN_NETWORK';

/** Runs this program again in a network namespace of its own. Returns its exit code, or undefined where it is the one inside. */
export function runInOwnNetwork(): number | undefined {
  if (process.env[MARK] === 'yes') return undefined;
  const { status } = spawnSync('unshare', ['--net', process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [MARK]: 'yes' },
  });
  return status ?? 1;
}

/** Why a program cannot have a network of its own here; undefined when it can. */
export function whyNoNetwork(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  return process.getuid?.() === 0 ? undefined : 'network namespaces need root';
}

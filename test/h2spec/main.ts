// `npm run h2spec [-- CASE...]`: how the API server keeps to HTTP/2 and HPACK, case by case, by h2spec's judgement.
import { findPeer } from '../../peers/index.ts';
import { runH2spec } from './run-h2spec.ts';

const peer = findPeer('h2spec');
if (peer.path === undefined) {
  console.error(`h2spec does not run: ${peer.reason}`);
  process.exitCode = 1;
} else {
  const { output, failed } = await runH2spec(peer.path, process.argv.slice(2));
  console.log(output);
  process.exitCode = failed === 0 ? 0 : 1;
}

// Sends every case to a real kube-apiserver and to ours, and says where the answers differ.
//   npm run differential [-- --topic T] [--case REGEX] [--record] [--kubeconfig FILE]
import { parseArgs } from 'node:util';
import { startKube, whyNoKube } from '../../peers/index.ts';
import { type Case, caseId } from './case.ts';
import { type CaseVerdict, describeProblems, isAsExpected, judgeCase, unplayable } from './judge-case.ts';
import { loadKnownDifferences, loadOurAnswers } from './known-differences.ts';
import { grouped } from './grouped.ts';
import { loadCases } from './load-cases.ts';
import { playOn, startOwnTarget } from './play-on.ts';
import { recordCase } from './record-case.ts';
import { readRecordings, writeRecordings } from './recording.ts';
import { writeFidelityPage } from '../fidelity/fidelity-page.ts';
import { writeReport } from './report.ts';
import { identityOf, Target } from './target.ts';

const { values } = parseArgs({
  options: {
    topic: { type: 'string' },
    case: { type: 'string' },
    record: { type: 'boolean', default: false },
    kubeconfig: { type: 'string' },
  },
});

const all = loadCases();
const pattern = new RegExp(values.case ?? '');
const chosen = all.filter(
  (played) => (values.topic === undefined || played.topic === values.topic) && pattern.test(caseId(played)),
);
const reason = values.kubeconfig === undefined ? whyNoKube() : undefined;
if (reason !== undefined) {
  console.log(`differential: skipped, ${reason}`);
} else {
  const verdicts = await run(chosen, values.record);
  if (chosen.length === all.length) {
    writeReport(verdicts);
    await writeFidelityPage();
  }
  summarize(verdicts);
}

async function run(cases: readonly Case[], isRecording: boolean): Promise<CaseVerdict[]> {
  await using kube = values.kubeconfig === undefined ? await startKube() : undefined;
  using real = new Target(identityOf(kube?.kubeconfig ?? values.kubeconfig ?? ''));
  await using ours = await startOwnTarget();
  const knowledge = { listed: loadKnownDifferences(), ours: loadOurAnswers() };
  const verdicts: CaseVerdict[] = [];
  for (const [topic, ofTopic] of grouped(cases, (played) => played.topic)) {
    const recordings = readRecordings(topic);
    const compareServers = async (played: Case): Promise<CaseVerdict> => {
      const want = isRecording ? await recordCase(played, real) : { answers: await playOn(real, played) };
      if ('digest' in want) recordings.set(caseId(played), want);
      return judgeCase(played, { want: want.answers, got: await playOn(ours.target, played) }, knowledge);
    };
    for (const played of ofTopic) {
      const verdict = await compareServers(played).catch((problem: unknown) => unplayable(played, problem));
      verdicts.push(verdict);
      if (!isAsExpected(verdict)) console.log(`${describeProblems(verdict)}\n`);
    }
    const ofSameTopic = all.filter((played) => played.topic === topic);
    if (isRecording) writeRecordings(ofSameTopic, recordings);
  }
  return verdicts;
}

function summarize(verdicts: readonly CaseVerdict[]): void {
  const requests = verdicts.flatMap(({ played }) => played.steps).filter(({ isSetup }) => !isSetup).length;
  const bad = verdicts.filter((verdict) => !isAsExpected(verdict)).length;
  const known = verdicts.filter((verdict) => isAsExpected(verdict) && verdict.known.length > 0).length;
  console.log(
    `${verdicts.length} cases, ${requests} compared requests: ${verdicts.length - bad - known} the same, ` +
      `${known} different as listed, ${bad} different or listed without need`,
  );
  if (bad > 0) process.exitCode = 1;
}

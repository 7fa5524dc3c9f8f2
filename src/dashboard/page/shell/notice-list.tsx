import { useEffect } from 'preact/hooks';
import { after } from '../browser/clock.ts';
import { KubectlLine } from '../parts/kubectl-line.tsx';
import { useApp, type Notice } from './app-context.ts';

const SHOWN_MS = 8_000;

export function NoticeList() {
  const { notices } = useApp();
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.list.value.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} onClose={() => notices.remove(notice.id)} />
      ))}
    </div>
  );
}

function NoticeCard({ notice, onClose }: { readonly notice: Notice; readonly onClose: () => void }) {
  useEffect(() => (notice.isError ? undefined : after(SHOWN_MS, onClose)), []);
  return (
    <div class={`notice ${notice.isError ? 'bad' : ''}`}>
      <p>{notice.text}</p>
      {notice.command === undefined ? null : <KubectlLine command={notice.command} />}
      <button type="button" class="close" aria-label="Close" onClick={onClose}>
        ×
      </button>
    </div>
  );
}

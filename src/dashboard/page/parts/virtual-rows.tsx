import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface VirtualRowsProps {
  readonly count: number;
  /** All rows have this height in pixels. */
  readonly rowHeight: number;
  readonly renderRow: (index: number) => ComponentChildren;
  readonly class?: string;
  readonly label: string;
  /** Stays above the rows and scrolls sideways with them. */
  readonly header?: ComponentChildren;
  readonly role?: 'grid' | 'list' | 'log' | 'tree';
  readonly columnCount?: number;
  /** The row that must be visible, such as that of the cursor. */
  readonly visible?: number | undefined;
  /** Follows the end while it is in sight, as logs do. */
  readonly isFollowing?: boolean;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly onScrolledAway?: (isAway: boolean) => void;
}

/** Rows outside of the view that are drawn too, so that scrolling shows no gaps. */
const MARGIN_ROWS = 12;

/** A list of which only the rows in view exist in the document. */
export function VirtualRows(props: VirtualRowsProps) {
  const { count, rowHeight, renderRow } = props;
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    height.value = element.clientHeight;
    return () => observer.disconnect();
  }, []);
  useKeepInView(box, props);

  const first = Math.max(0, Math.floor(top.value / rowHeight) - MARGIN_ROWS);
  const end = Math.min(count, Math.ceil((top.value + height.value) / rowHeight) + MARGIN_ROWS);
  const rows: ComponentChildren[] = [];
  for (let index = first; index < end; index++) rows.push(renderRow(index));
  const onScroll = ({ currentTarget }: { currentTarget: HTMLDivElement }): void => {
    // a row's height is the least that has to be drawn again
    const next = Math.floor(currentTarget.scrollTop / rowHeight) * rowHeight;
    if (next !== top.value) top.value = next;
    const isAway = currentTarget.scrollTop + currentTarget.clientHeight < currentTarget.scrollHeight - 2 * rowHeight;
    props.onScrolledAway?.(isAway);
  };
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ''}`}
      role={props.role ?? 'list'}
      aria-label={props.label}
      aria-rowcount={props.role === 'grid' ? count + 1 : undefined}
      aria-colcount={props.columnCount}
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={props.onKeyDown}
    >
      {props.header}
      <div class="virtual-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        <div
          class="virtual-rows"
          role={props.role === 'grid' ? 'rowgroup' : 'presentation'}
          style={{ top: `${first * rowHeight}px` }}
        >
          {rows}
        </div>
      </div>
    </div>
  );
}

function useKeepInView(
  box: RefObject<HTMLDivElement | null>,
  { visible, rowHeight, isFollowing, count, header }: VirtualRowsProps,
): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || visible === undefined) return;
    const headerHeight = header === undefined ? 0 : rowHeight;
    const rowTop = visible * rowHeight;
    const room = element.clientHeight - headerHeight - rowHeight;
    if (rowTop < element.scrollTop) element.scrollTop = rowTop;
    else if (rowTop > element.scrollTop + room) element.scrollTop = rowTop - room;
  }, [visible]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && isFollowing === true) element.scrollTop = element.scrollHeight;
  }, [count, isFollowing]);
}

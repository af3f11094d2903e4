/** Icons: paths on a grid of 16, drawn with the color of the text. They carry no meaning alone and are hidden from screen readers. */

const paths = {
  brand: "M2 4h5c3 0 1 8 4 8h3M2 12h3M11 4h3",
  sessions: "M2.5 3.5h11M2.5 8h11M2.5 12.5h7",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14",
  help: "M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM6 6.2A2 2 0 1 1 8.6 8c-.5.2-.6.5-.6 1.1M8 11.4v.1",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1.1 1.1M11.9 11.9 13 13M13 3l-1.1 1.1M4.1 11.9 3 13",
  moon: "M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1Z",
  system: "M2 3h12v8H2zM5.5 14h5M8 11v3",
  key: "M10 9.5a3.5 3.5 0 1 0-3.3-2.3L2 12v2h2.5v-1.5H6V11l1.2-1.2A3.5 3.5 0 0 0 10 9.5ZM11 5h.1",
  warning: "M8 2 1.5 13.5h13L8 2ZM8 6.5v3.2M8 11.6v.1",
  message: "M2 3h12v8.5H7L4 14v-2.5H2z",
  tool: "M10.2 2.2a3.5 3.5 0 0 0-3.9 4.9L2 11.4V14h2.6l4.3-4.3a3.5 3.5 0 0 0 4.9-3.9l-2.1 2.1-2.2-.4-.4-2.2z",
  state: "M3 2.5h4v4H3zM9 9.5h4v4H9zM5 6.5v5h4",
  turn: "M13.5 8A5.5 5.5 0 1 1 11 3.4M11 1v2.6H8.4",
  status: "M1.5 8h3l2-4.5 3 9 2-4.5h3",
  session: "M3 2.5h10v11H3zM3 5.5h10",
  custom: "M5.5 2.5C3.5 2.5 5 7 3 8c2 1 .5 5.5 2.5 5.5M10.5 2.5c2 0 .5 4.5 2.5 5.5-2 1-.5 5.5-2.5 5.5",
  assessment: "M8 1.8 13.5 4v4c0 3.2-2.3 5.4-5.5 6.4C4.8 13.4 2.5 11.2 2.5 8V4z",
  live: "M8 9.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.6 11.4a4.8 4.8 0 0 1 0-6.8M11.4 4.6a4.8 4.8 0 0 1 0 6.8",
  back: "M9.5 3 4.5 8l5 5",
  forward: "M6.5 3l5 5-5 5",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  check: "M2.5 8.5 6 12l7.5-8",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  star: "M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z",
  person: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14.5a5.5 5.5 0 0 1 11 0",
  agent: "M3 5.5h10v7H3zM8 5.5V3M5.8 8.7v.6M10.2 8.7v.6M1.5 8v2.5M14.5 8v2.5M8 3h.1",
  handover: "M1.5 10.5h3l2.5 2 6-4.5M1.5 6h4l2-2.5h6M11 1l2.5 2.5L11 6",
  memory: "M4 1.5h8v13L8 11.5 4 14.5z",
  lock: "M3.5 7.5h9v6.5h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5M8 10v1.5",
  fork: "M4.5 2.5v11M4.5 9c5 0 6-1 6-4.5M8.5 6l2-2 2 2",
} as const;

export type IconName = keyof typeof paths;

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
);

/** Play. */

export default function PlayPage() {
  return <div className="notice">Play</div>;
}

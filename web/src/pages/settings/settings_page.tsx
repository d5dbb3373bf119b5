/** Settings. */

export default function SettingsPage() {
  return <div className="notice">Settings</div>;
}

import type { NewUpload, Upload } from "../store.ts";
import type { Database } from "./database.ts";
import { storable } from "./lane-read.ts";

export async function readUpload(database: Database, hash: string): Promise<Upload | null> {
  const [row] = await database.rows<{
    hash: string;
    media_type: string;
    name: string | null;
    uploaded_at: number;
    content: Buffer;
  }>({
    text: "SELECT * FROM uploads WHERE hash = $1",
    values: [storable(hash)],
  });
  if (row === undefined) return null;
  return {
    hash: row.hash,
    mediaType: row.media_type,
    name: row.name,
    content: new Uint8Array(row.content),
    uploadedAt: row.uploaded_at,
  };
}

export async function addUpload(database: Database, upload: NewUpload): Promise<void> {
  const { hash, mediaType, name, content } = upload;
  await database.rows({
    text: `
      INSERT INTO uploads (hash, media_type, name, uploaded_at, content)
      VALUES ($1, $2, $3, holdfast_now(), $4)
      ON CONFLICT (hash) DO UPDATE SET media_type = excluded.media_type, name = excluded.name,
        uploaded_at = excluded.uploaded_at`,
    values: [hash, JSON.stringify(mediaType), JSON.stringify(name), Buffer.from(content)],
  });
}

export async function sweepUploads(database: Database, before: number): Promise<number> {
  const rows = await database.rows({
    text: "DELETE FROM uploads WHERE uploaded_at < $1 RETURNING hash",
    values: [before],
  });
  return rows.length;
}

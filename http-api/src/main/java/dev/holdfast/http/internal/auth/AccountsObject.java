package dev.holdfast.http.internal.auth;

import dev.holdfast.ObjectContext;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.CredentialEntry;
import dev.holdfast.http.object.Grant;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneEntry;
import dev.holdfast.sql.SqlRow;
import dev.holdfast.sql.SqlStorage;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The accounts as an object. Credentials are few and read constantly, so they are kept in memory.
 */
public final class AccountsObject implements Accounts {

  private static final List<String> KINDS = List.of("token", "key");
  private static final int HASH_LENGTH = 64;
  private static final int REPORT_KEY_BYTES = 32;

  /**
   * Compared with when there is no such credential, so that the comparison takes the same time; no
   * hash equals it.
   */
  private static final Credential NO_CREDENTIAL =
      new Credential(new Grant("", List.of(), List.of()), "-".repeat(HASH_LENGTH), null);

  private final SqlStorage sql;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final ZoneChanges changes;
  private final Map<String, Credential> tokens = new HashMap<>();
  private final Map<String, Credential> keys = new HashMap<>();

  /** A grant, the hash of its secret, and the time from which it is refused. */
  private record Credential(Grant grant, String hash, @Nullable Instant expires) {
    boolean isValidAt(Instant now) {
      return expires == null || now.isBefore(expires);
    }
  }

  /**
   * Starts the object.
   *
   * @param context its context
   * @param clock decides whether a credential has expired
   * @param random generates the key of reports; unpredictable
   * @param changes counts the changes of the list of zones
   */
  public AccountsObject(
      ObjectContext context, InstantSource clock, RandomGenerator random, ZoneChanges changes) {
    this.clock = clock;
    this.changes = changes;
    this.sql = context.storage().sql();
    this.random = random;
    sql.exec(
        """
        CREATE TABLE IF NOT EXISTS credential (
          kind TEXT, id TEXT, hash TEXT NOT NULL, zones TEXT NOT NULL, permissions TEXT NOT NULL,
          PRIMARY KEY (kind, id)
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS expiry (
          kind TEXT, id TEXT, millis INTEGER NOT NULL, PRIMARY KEY (kind, id)
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS zone (id TEXT PRIMARY KEY, name TEXT NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS report_key (key BLOB NOT NULL)
        """);
    sql
        .exec("SELECT credential.*, millis FROM credential LEFT JOIN expiry USING (kind, id)")
        .stream()
        .forEach(row -> table(text(row, "kind")).put(text(row, "id"), credential(row)));
    // A new instance can have the state of another time: after a restore, for example.
    changes.add(NAME);
  }

  @Override
  public @Nullable Grant grantOfToken(String tokenId, String secretHash) {
    return compare(tokens, tokenId, secretHash);
  }

  @Override
  public @Nullable Grant grantOfKey(String email, String keyHash) {
    return compare(keys, email, keyHash);
  }

  @Override
  public void addToken(Grant grant, String secretHash) {
    add("token", grant, secretHash);
  }

  @Override
  public void addKey(Grant grant, String keyHash) {
    add("key", grant, keyHash);
  }

  @Override
  public List<CredentialEntry> credentials() {
    return Stream.of(false, true)
        .flatMap(
            isKey ->
                (isKey ? keys : tokens)
                    .values().stream()
                        .map(known -> new CredentialEntry(isKey, known.grant(), known.expires()))
                        .sorted(Comparator.comparing(entry -> entry.grant().id())))
        .toList();
  }

  @Override
  public boolean expire(String id, @Nullable Instant expires) {
    boolean any = false;
    for (String kind : KINDS) {
      Credential known = table(kind).get(id);
      if (known != null) {
        setExpiry(kind, id, expires);
        table(kind).put(id, new Credential(known.grant(), known.hash(), expires));
        any = true;
      }
    }
    return any;
  }

  private void setExpiry(String kind, String id, @Nullable Instant expires) {
    if (expires == null) {
      sql.exec("DELETE FROM expiry WHERE kind = ? AND id = ?", kind, id);
    } else {
      sql.exec(
          "INSERT OR REPLACE INTO expiry (kind, id, millis) VALUES (?, ?, ?)",
          kind,
          id,
          expires.toEpochMilli());
    }
  }

  @Override
  public boolean replaceSecret(String id, String secretHash) {
    boolean any = false;
    for (String kind : KINDS) {
      Credential known = table(kind).get(id);
      if (known != null) {
        sql.exec(
            "UPDATE credential SET hash = ? WHERE kind = ? AND id = ?",
            checked(secretHash),
            kind,
            id);
        table(kind).put(id, new Credential(known.grant(), secretHash, known.expires()));
        any = true;
      }
    }
    return any;
  }

  @Override
  public boolean revoke(String id) {
    sql.exec("DELETE FROM credential WHERE id = ?", id);
    sql.exec("DELETE FROM expiry WHERE id = ?", id);
    boolean token = tokens.remove(id) != null;
    boolean key = keys.remove(id) != null;
    return token || key;
  }

  @Override
  public boolean hasCredentials() {
    return !tokens.isEmpty() || !keys.isEmpty();
  }

  @Override
  public void addZone(ZoneEntry zone) {
    sql.exec("INSERT OR REPLACE INTO zone (id, name) VALUES (?, ?)", zone.id(), zone.name());
    changes.add(NAME);
  }

  @Override
  public List<ZoneEntry> zones() {
    return sql.exec("SELECT id, name FROM zone ORDER BY name, id").stream()
        .map(AccountsObject::entry)
        .toList();
  }

  @Override
  public @Nullable ZoneEntry zone(String id) {
    return sql.exec("SELECT id, name FROM zone WHERE id = ?", id).stream()
        .map(AccountsObject::entry)
        .findFirst()
        .orElse(null);
  }

  @Override
  public byte[] reportKey() {
    return sql.exec("SELECT key FROM report_key").stream()
        .map(row -> Objects.requireNonNull(row.getBytes("key")))
        .findFirst()
        .orElseGet(this::newReportKey);
  }

  private byte[] newReportKey() {
    byte[] key = new byte[REPORT_KEY_BYTES];
    random.nextBytes(key);
    sql.exec("INSERT INTO report_key (key) VALUES (?)", key);
    return key;
  }

  private void add(String kind, Grant grant, String hash) {
    checked(hash);
    setExpiry(kind, grant.id(), null);
    sql.exec(
        "INSERT OR REPLACE INTO credential (kind, id, hash, zones, permissions)"
            + " VALUES (?, ?, ?, ?, ?)",
        kind,
        grant.id(),
        hash,
        String.join(",", grant.zones()),
        String.join(",", grant.permissions().stream().map(Permission::name).toList()));
    table(kind).put(grant.id(), new Credential(grant, hash, null));
  }

  private static String checked(String hash) {
    if (hash.length() != HASH_LENGTH) {
      throw new IllegalArgumentException("a hash has 64 digits, got " + hash.length());
    }
    return hash;
  }

  private Map<String, Credential> table(String kind) {
    return kind.equals("token") ? tokens : keys;
  }

  private @Nullable Grant compare(Map<String, Credential> table, String id, String hash) {
    Credential known = table.getOrDefault(id, NO_CREDENTIAL);
    boolean same =
        MessageDigest.isEqual(
            known.hash().getBytes(StandardCharsets.US_ASCII),
            hash.getBytes(StandardCharsets.US_ASCII));
    return same && known.isValidAt(clock.instant()) ? known.grant() : null;
  }

  private static Credential credential(SqlRow row) {
    return new Credential(
        new Grant(
            text(row, "id"),
            list(text(row, "zones")).toList(),
            list(text(row, "permissions")).map(Permission::valueOf).toList()),
        text(row, "hash"),
        Optional.ofNullable(row.get("millis", Long.class)).map(Instant::ofEpochMilli).orElse(null));
  }

  private static Stream<String> list(String joined) {
    return Arrays.stream(joined.split(",", -1)).filter(item -> !item.isEmpty());
  }

  private static ZoneEntry entry(SqlRow row) {
    return new ZoneEntry(text(row, "id"), text(row, "name"));
  }

  private static String text(SqlRow row, String column) {
    return Objects.requireNonNull(row.getString(column));
  }
}

package dev.holdfast.http.internal.accounts;

import static java.util.stream.Collectors.joining;

import dev.holdfast.ObjectContext;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.CredentialEntry;
import dev.holdfast.http.object.Grant;
import dev.holdfast.http.object.Permission;
import dev.holdfast.http.object.ZoneChanges;
import dev.holdfast.http.object.ZoneEntry;
import dev.holdfast.sql.SqlStorage;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The accounts as an object. Credentials are rows. */
public final class AccountsObject implements Accounts {

  private static final String TABLES =
      Json.resource(AccountsObject.class.getResourceAsStream("accounts.sql"));

  private static final int HASH_LENGTH = 64;
  private static final int REPORT_KEY_BYTES = 32;

  /**
   * Compared with when there is no such credential, so that the comparison takes the same time; no
   * hash equals it.
   */
  private static final Credential NO_CREDENTIAL =
      new Credential("", "", "-".repeat(HASH_LENGTH), "", "", null);

  private final SqlStorage sql;
  private final InstantSource clock;
  private final RandomGenerator random;
  private final ZoneChanges changes;

  /** A token or key: its grant, the hash of its secret, and the time from which it is refused. */
  private record Credential(
      String kind,
      String id,
      String hash,
      String zones,
      String permissions,
      @Nullable Instant millis) {

    boolean isValidAt(Instant now) {
      return millis == null || now.isBefore(millis);
    }

    Grant grant() {
      return new Grant(
          id, items(zones).toList(), items(permissions).map(Permission::valueOf).toList());
    }

    private static Stream<String> items(String joined) {
      return joined.isEmpty() ? Stream.of() : Stream.of(joined.split(",", -1));
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
    sql.exec(TABLES);
    // A new instance can have the state of another time: after a restore, for example.
    changes.add(NAME);
  }

  @Override
  public @Nullable Grant grantOfToken(String tokenId, String secretHash) {
    return compare("token", tokenId, secretHash);
  }

  @Override
  public @Nullable Grant grantOfKey(String email, String keyHash) {
    return compare("key", email, keyHash);
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
    return select("ORDER BY kind = 'key', id").stream()
        .map(
            known -> new CredentialEntry(known.kind().equals("key"), known.grant(), known.millis()))
        .toList();
  }

  @Override
  public boolean expire(String id, @Nullable Instant expires) {
    sql.exec("DELETE FROM expiry WHERE id = ?", id);
    if (expires != null) {
      sql.exec(
          "INSERT INTO expiry (kind, id, millis) SELECT kind, id, ? FROM credential WHERE id = ?",
          expires.toEpochMilli(),
          id);
    }
    return isKnown(id);
  }

  @Override
  public boolean replaceSecret(String id, String secretHash) {
    sql.exec("UPDATE credential SET hash = ? WHERE id = ?", checked(secretHash), id);
    return isKnown(id);
  }

  @Override
  public boolean revoke(String id) {
    boolean wasKnown = isKnown(id);
    sql.exec("DELETE FROM credential WHERE id = ?", id);
    sql.exec("DELETE FROM expiry WHERE id = ?", id);
    return wasKnown;
  }

  @Override
  public boolean hasCredentials() {
    return !select("LIMIT 1").isEmpty();
  }

  @Override
  public void addZone(ZoneEntry zone) {
    sql.exec("INSERT OR REPLACE INTO zone (id, name) VALUES (?, ?)", zone.id(), zone.name());
    changes.add(NAME);
  }

  @Override
  public List<ZoneEntry> zones() {
    return sql.exec("SELECT id, name FROM zone ORDER BY name, id").as(ZoneEntry.class).toList();
  }

  @Override
  public @Nullable ZoneEntry zone(String id) {
    return sql.exec("SELECT id, name FROM zone WHERE id = ?", id).as(ZoneEntry.class).stream()
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
    sql.exec("DELETE FROM expiry WHERE kind = ? AND id = ?", kind, grant.id());
    sql.exec(
        "INSERT OR REPLACE INTO credential (kind, id, hash, zones, permissions)"
            + " VALUES (?, ?, ?, ?, ?)",
        kind,
        grant.id(),
        checked(hash),
        String.join(",", grant.zones()),
        grant.permissions().stream().map(Permission::name).collect(joining(",")));
  }

  private static String checked(String hash) {
    if (hash.length() != HASH_LENGTH) {
      throw new IllegalArgumentException("a hash has 64 digits, got " + hash.length());
    }
    return hash;
  }

  private List<Credential> select(String rest, Object... bindings) {
    String all = "SELECT credential.*, millis FROM credential LEFT JOIN expiry USING (kind, id) ";
    return sql.exec(all + rest, bindings).as(Credential.class).toList();
  }

  private boolean isKnown(String id) {
    return !select("WHERE id = ?", id).isEmpty();
  }

  private @Nullable Grant compare(String kind, String id, String hash) {
    List<Credential> found = select("WHERE kind = ? AND id = ?", kind, id);
    Credential known = found.isEmpty() ? NO_CREDENTIAL : found.getFirst();
    boolean same =
        MessageDigest.isEqual(
            known.hash().getBytes(StandardCharsets.US_ASCII),
            hash.getBytes(StandardCharsets.US_ASCII));
    return same && known.isValidAt(clock.instant()) ? known.grant() : null;
  }
}

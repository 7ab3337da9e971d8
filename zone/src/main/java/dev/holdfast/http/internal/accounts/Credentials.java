package dev.holdfast.http.internal.accounts;

import dev.holdfast.http.object.Accounts;
import dev.holdfast.http.object.Grant;
import dev.holdfast.http.object.Ids;
import dev.holdfast.http.object.Permission;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Makes tokens and keys. The accounts store only their hashes. Thread-safe.
 *
 * @param accounts stores the hashes
 * @param random generates the secrets; unpredictable
 */
public record Credentials(Accounts accounts, RandomGenerator random) {

  private static final Pattern EMAIL =
      Pattern.compile("[^\\s@\\p{Cntrl}]{1,64}@[^\\s@\\p{Cntrl}]{1,255}");

  /**
   * {@return a new token}
   *
   * @param zoneIds the zones that it covers; empty means all
   * @param permissions its permissions in these zones
   * @throws IllegalArgumentException if one of the zones is not an id, or {@link
   *     Permission#OPERATE} is not for all zones
   */
  public String createToken(List<String> zoneIds, List<Permission> permissions) {
    requireScope(zoneIds, permissions);
    String token = Secret.newToken(random);
    String id = Objects.requireNonNull(Secret.idOf(token));
    accounts.addToken(new Grant(id, zoneIds, permissions), Secret.hash(token));
    return token;
  }

  /**
   * {@return a new key} An earlier key of the same owner is no longer valid.
   *
   * @param email the owner
   * @param zoneIds the zones that it covers; empty means all
   * @param permissions its permissions in these zones
   * @throws IllegalArgumentException if the owner is not an e-mail address, one of the zones is not
   *     an id, or {@link Permission#OPERATE} is not for all zones
   */
  public String createKey(String email, List<String> zoneIds, List<Permission> permissions) {
    if (!isEmail(email)) {
      // The key is shown once; it must not be a key that is always refused.
      throw new IllegalArgumentException("not an e-mail address: \"" + email + "\"");
    }
    requireScope(zoneIds, permissions);
    String key = Secret.newKey(random);
    accounts.addKey(new Grant(email, zoneIds, permissions), Secret.hash(key));
    return key;
  }

  /**
   * {@return the new secret of a token or key, whose former one is refused; empty if there is none}
   *
   * @param id the id of the token or the owner of the key
   */
  public Optional<String> rotate(String id) {
    String secret = isEmail(id) ? Secret.newKey(random) : Secret.newToken(random, id);
    return accounts.replaceSecret(id, Secret.hash(secret)) ? Optional.of(secret) : Optional.empty();
  }

  /**
   * {@return whether a text could be sent as the owner of a key}
   *
   * @param email the text
   */
  public static boolean isEmail(String email) {
    return EMAIL.matcher(email).matches();
  }

  /**
   * An empty list means all zones: a malformed id, such as an empty one, must not have that
   * meaning.
   */
  private static void requireScope(List<String> zoneIds, List<Permission> permissions) {
    if (!zoneIds.isEmpty() && permissions.contains(Permission.OPERATE)) {
      throw new IllegalArgumentException(
          "operate is for all zones: leave the zones out, or the permission");
    }
    for (String id : zoneIds) {
      if (!Ids.isId(id)) {
        throw new IllegalArgumentException(
            "a zone id is 32 lower-case hexadecimal digits: \"" + id + "\"");
      }
    }
  }
}

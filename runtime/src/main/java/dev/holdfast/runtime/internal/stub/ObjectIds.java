package dev.holdfast.runtime.internal.stub;

import dev.holdfast.ObjectId;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.recovery.Neighbor;
import dev.holdfast.runtime.internal.RuntimeBounds;
import dev.holdfast.runtime.internal.storage.NameText;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes and checks the ids of one namespace, by the algorithm of the reference runtime:
 *
 * <pre>
 *     key         = SHA-256(name of the namespace)
 *     first half  = HMAC-SHA-256(key, name of the object)[0..16], or 16 random bytes
 *     second half = HMAC-SHA-256(key, first half)[0..16]
 * </pre>
 *
 * <p>The id of a name near another object has the first bits of that one's id in its first half,
 * before the second is computed: so it is an id of the namespace like any other.
 *
 * <p>Immutable; thread-safe if the source of randomness is.
 */
public final class ObjectIds {

  private static final int HALF_BYTES = ObjectId.LENGTH_BYTES / 2;
  private static final String MAC = "HmacSHA256";

  /** The bits of the second byte that belong to the slot. */
  private static final int LAST_OF_SLOT = (0xFF << (2 * Byte.SIZE - ObjectId.SLOT_BITS)) & 0xFF;

  /** Enough to recognize a text in a message. */
  private static final int SHOWN_CHARS_MAX = 80;

  private final String namespace;
  private final SecretKeySpec key;
  private final RandomGenerator random;

  /** Finds the namespace of an id that is not one of this; null if there is none. */
  private final Function<ObjectId, @Nullable String> owner;

  /**
   * Creates the ids of a namespace.
   *
   * @param namespace its name
   * @param random for unique ids; must not be guessable
   * @param owner finds the namespace of an id of another one, for the message; null if unknown
   */
  public ObjectIds(
      String namespace, RandomGenerator random, Function<ObjectId, @Nullable String> owner) {
    this.namespace = namespace;
    this.owner = owner;
    this.key = new SecretKeySpec(sha256(namespace), MAC);
    this.random = random;
  }

  /**
   * {@return the id of the object with a name}
   *
   * @param name the name
   */
  public ObjectId fromName(String name) {
    return fromName(name, null);
  }

  /**
   * {@return the id of the object with a name near another one}
   *
   * @param name the name
   * @param near has the slot; null for the slot of the name
   */
  public ObjectId fromName(String name, @Nullable Neighbor near) {
    byte[] utf8 = NameText.encode("The name of an object", name);
    byte[] first = half(utf8);
    if (near != null) {
      int slot = near.slot() << (2 * Byte.SIZE - ObjectId.SLOT_BITS);
      first[0] = (byte) (slot >>> Byte.SIZE);
      first[1] = (byte) ((slot & LAST_OF_SLOT) | (first[1] & ~LAST_OF_SLOT));
    }
    String known = utf8.length > RuntimeBounds.KNOWN_NAME_BYTES_MAX ? null : name;
    return ObjectId.of(complete(first), known);
  }

  /** {@return a new id without a name} */
  public ObjectId unique() {
    byte[] half = new byte[HALF_BYTES];
    random.nextBytes(half);
    return ObjectId.of(complete(half), null);
  }

  /**
   * {@return the id that a text stands for}
   *
   * @param text 64 hexadecimal digits
   * @throws InvalidObjectIdException if the text is not an id of this namespace
   */
  public ObjectId fromString(String text) {
    ObjectId id = ObjectId.of(parse(text), null);
    check(id);
    return id;
  }

  /**
   * Refuses an id that was not made for this namespace.
   *
   * @param id the id
   * @throws InvalidObjectIdException if it was not
   */
  public void check(ObjectId id) {
    if (!has(id)) {
      String other = owner.apply(id);
      throw new InvalidObjectIdException(
          "Durable Object ID is not valid for this namespace. "
              + (other == null
                  ? "No namespace of this runtime has made the id " + id
                  : "The id " + id + " is one of \"" + other + "\"")
              + ", and it was used for \""
              + namespace
              + "\".");
    }
  }

  /** {@return whether the id was made for this namespace} */
  boolean has(ObjectId id) {
    byte[] bytes = id.toBytes();
    return MessageDigest.isEqual(bytes, complete(Arrays.copyOf(bytes, HALF_BYTES)));
  }

  private byte[] parse(String text) {
    if (text.length() != 2 * ObjectId.LENGTH_BYTES
        || !text.chars().allMatch(HexFormat::isHexDigit)) {
      throw new InvalidObjectIdException(
          "Invalid Durable Object ID: must be 64 hex digits. The text has "
              + text.length()
              + " characters: \""
              + (text.length() > SHOWN_CHARS_MAX
                  ? text.substring(0, SHOWN_CHARS_MAX) + "..."
                  : text)
              + "\". If it is the name of an object of the namespace \""
              + namespace
              + "\", use idFromName.");
    }
    return HexFormat.of().parseHex(text);
  }

  /** Appends the half that authenticates the first. */
  private byte[] complete(byte[] firstHalf) {
    byte[] bytes = Arrays.copyOf(firstHalf, ObjectId.LENGTH_BYTES);
    System.arraycopy(half(firstHalf), 0, bytes, HALF_BYTES, HALF_BYTES);
    return bytes;
  }

  private byte[] half(byte[] input) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(key);
      return Arrays.copyOf(mac.doFinal(input), HALF_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java platform has " + MAC + ".", e);
    }
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }
}

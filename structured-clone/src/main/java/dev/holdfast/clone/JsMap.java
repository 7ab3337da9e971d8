package dev.holdfast.clone;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A JavaScript {@code Map}, in the order of insertion. Any {@link Map} is written as one; reading
 * returns this class, because its keys compare as in JavaScript: primitives by value ({@code 1L}
 * and {@code 1.0} are one key), everything else by identity, so that two different objects with the
 * same content stay two keys. In this respect, like {@link java.util.IdentityHashMap}, it violates
 * the general contract of {@code Map}. Read the value as {@code Map<K, V>} to get an ordinary map.
 *
 * <p>Not thread-safe.
 */
public final class JsMap extends AbstractMap<@Nullable Object, @Nullable Object>
    implements JsValue {

  private final LinkedHashMap<@Nullable Object, Entry<@Nullable Object, @Nullable Object>> entries =
      new LinkedHashMap<>();

  /** Creates an empty map. */
  public JsMap() {}

  /**
   * Creates a map with the entries of another.
   *
   * @param map copied in its order; keys and values are not
   */
  public JsMap(Map<?, ?> map) {
    map.forEach(this::put);
  }

  @Override
  public @Nullable Object put(@Nullable Object key, @Nullable Object value) {
    Object hashed = JsKey.of(key);
    Entry<@Nullable Object, @Nullable Object> entry = entries.get(hashed);
    if (entry != null) {
      return entry.setValue(value);
    }
    entries.put(hashed, new SimpleEntry<>(key, value));
    return null;
  }

  @Override
  public @Nullable Object get(@Nullable Object key) {
    Entry<@Nullable Object, @Nullable Object> entry = entries.get(JsKey.of(key));
    return entry == null ? null : entry.getValue();
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return entries.containsKey(JsKey.of(key));
  }

  @Override
  public @Nullable Object remove(@Nullable Object key) {
    Entry<@Nullable Object, @Nullable Object> entry = entries.remove(JsKey.of(key));
    return entry == null ? null : entry.getValue();
  }

  @Override
  public int size() {
    return entries.size();
  }

  @Override
  public void clear() {
    entries.clear();
  }

  @Override
  public Set<Entry<@Nullable Object, @Nullable Object>> entrySet() {
    return new AbstractSet<>() {
      @Override
      public Iterator<Entry<@Nullable Object, @Nullable Object>> iterator() {
        return entries.values().iterator();
      }

      @Override
      public int size() {
        return entries.size();
      }
    };
  }
}

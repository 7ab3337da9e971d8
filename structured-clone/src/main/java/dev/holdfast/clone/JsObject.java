package dev.holdfast.clone;

import dev.holdfast.clone.internal.ValueAccess;
import java.util.AbstractMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A plain JavaScript object: its own enumerable properties in their order. Records are written in
 * the same way; other maps are JavaScript {@code Map}s.
 *
 * <p>A key that is an array index ({@code "0"} to {@code "4294967294"}) comes before all others
 * when the object is written, in numeric order, as in JavaScript.
 *
 * <p>Not thread-safe.
 */
public final class JsObject extends AbstractMap<String, @Nullable Object> implements JsValue {

  static {
    ValueAccess.register(new JsAccess());
  }

  private final LinkedHashMap<String, @Nullable Object> properties;

  /**
   * Names that are stored like {@link JsString}s; null if there are none, which is the usual case.
   */
  private @Nullable Set<String> wideNames;

  /** Creates an object without properties. */
  public JsObject() {
    this.properties = new LinkedHashMap<>();
  }

  /**
   * Creates an object with properties.
   *
   * @param properties copied in their order; the values are not
   */
  public JsObject(Map<String, ? extends @Nullable Object> properties) {
    this.properties = new LinkedHashMap<>(properties);
  }

  void addWideName(String name) {
    Set<String> names = wideNames;
    if (names == null) {
      names = new HashSet<>();
      wideNames = names;
    }
    names.add(name);
  }

  boolean isWideName(String name) {
    return wideNames != null && wideNames.contains(name);
  }

  /** Returns an object without properties that stores names in the same form as another object. */
  static JsObject emptyLike(JsObject other) {
    JsObject object = new JsObject();
    object.wideNames = other.wideNames == null ? null : new HashSet<>(other.wideNames);
    return object;
  }

  @Override
  public Set<Entry<String, @Nullable Object>> entrySet() {
    return properties.entrySet();
  }

  @Override
  public int size() {
    return properties.size();
  }

  @Override
  public @Nullable Object get(@Nullable Object key) {
    return properties.get(key);
  }

  @Override
  public boolean containsKey(@Nullable Object key) {
    return properties.containsKey(key);
  }

  @Override
  public @Nullable Object put(String key, @Nullable Object value) {
    if (key == null) {
      throw new NullPointerException("a property's name is null");
    }
    return properties.put(key, value);
  }

  @Override
  public @Nullable Object remove(@Nullable Object key) {
    return properties.remove(key);
  }

  @Override
  public void clear() {
    properties.clear();
  }
}

package dev.holdfast.clone;

import java.util.AbstractSet;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A JavaScript {@code Set}, in the order of insertion. Any {@link java.util.Set} is written as one;
 * reading returns this class, whose elements compare like the keys of a {@link JsMap}.
 *
 * <p>Not thread-safe.
 */
public final class JsSet extends AbstractSet<@Nullable Object> implements JsValue {

  private final LinkedHashMap<@Nullable Object, @Nullable Object> elements = new LinkedHashMap<>();

  /** Creates an empty set. */
  public JsSet() {}

  /**
   * Creates a set with the elements of a collection.
   *
   * @param elements copied in their order
   */
  public JsSet(Collection<?> elements) {
    addAll(elements);
  }

  @Override
  public boolean add(@Nullable Object element) {
    Object hashed = JsKey.of(element);
    if (elements.containsKey(hashed)) {
      return false;
    }
    elements.put(hashed, element);
    return true;
  }

  @Override
  public boolean contains(@Nullable Object element) {
    return elements.containsKey(JsKey.of(element));
  }

  @Override
  public boolean remove(@Nullable Object element) {
    Object hashed = JsKey.of(element);
    if (!elements.containsKey(hashed)) {
      return false;
    }
    elements.remove(hashed);
    return true;
  }

  @Override
  public Iterator<@Nullable Object> iterator() {
    return elements.values().iterator();
  }

  @Override
  public int size() {
    return elements.size();
  }

  @Override
  public void clear() {
    elements.clear();
  }
}

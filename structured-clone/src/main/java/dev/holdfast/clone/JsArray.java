package dev.holdfast.clone;

import dev.holdfast.clone.internal.CloneBounds;
import dev.holdfast.clone.internal.IdentityTable;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A JavaScript array. Any {@link java.util.List} is written as one; reading returns this class,
 * which also keeps what a list does not have: holes, named properties, lengths above the range of
 * {@code int}, and the form in which the array was stored.
 *
 * <p>As a list it has {@link #length()} elements; holes are {@link JsUndefined#UNDEFINED}. Do not
 * iterate over an array from an untrusted source without a check: three bytes can declare four
 * billion holes. {@link #entryCount()} returns the actual number of elements.
 *
 * <p>Not thread-safe.
 */
public final class JsArray extends AbstractList<@Nullable Object> implements JsValue {

  /** The maximum length of an array. */
  public static final long LENGTH_MAX = 0xFFFF_FFFFL;

  /** The elements before the first hole. */
  private final ArrayList<@Nullable Object> packed = new ArrayList<>();

  /** The elements after the first hole, by index. */
  private final TreeMap<Long, @Nullable Object> scattered = new TreeMap<>();

  private final JsObject properties;
  private final boolean sparse;
  private long length;

  /** Whether numbers are written by their Java types even if all elements are numbers. */
  private boolean numbersAsTheyAre;

  private JsArray(boolean sparse, long length, JsObject properties) {
    this.sparse = sparse;
    this.length = length;
    this.properties = properties;
  }

  /** Creates an empty array of the dense form, like an array literal. */
  public JsArray() {
    this(false, 0, new JsObject());
  }

  /**
   * Creates an array of the dense form, like an array literal.
   *
   * @param elements its elements
   */
  public JsArray(Collection<?> elements) {
    this(false, 0, new JsObject());
    addAll(elements);
  }

  /**
   * Creates an array of the sparse form, like {@code new Array(length)}: it contains only holes,
   * and is stored as pairs of index and element even when all are filled.
   *
   * @param length the number of holes, from 0 to {@link #LENGTH_MAX}
   * @return the array
   * @throws IllegalArgumentException if the length is out of range
   */
  public static JsArray sparse(long length) {
    if (length < 0 || length > LENGTH_MAX) {
      throw new IllegalArgumentException("an array of length " + length);
    }
    return new JsArray(true, length, new JsObject());
  }

  /** Returns an array of holes with the length and form of another array. */
  static JsArray emptyLike(JsArray other) {
    JsArray array = new JsArray(other.sparse, other.length, JsObject.emptyLike(other.properties));
    array.numbersAsTheyAre = other.numbersAsTheyAre;
    return array;
  }

  /**
   * Returns the length that JavaScript sees.
   *
   * @return from 0 to {@link #LENGTH_MAX}
   */
  public long length() {
    return length;
  }

  /**
   * Returns the number of elements that are not holes.
   *
   * @return equal to {@link #length()} if there are no holes
   */
  public long entryCount() {
    return (long) packed.size() + scattered.size();
  }

  /**
   * Returns whether an index has an element rather than a hole.
   *
   * @param index the index
   * @return whether it has
   */
  public boolean has(long index) {
    return (index >= 0 && index < packed.size()) || scattered.containsKey(index);
  }

  /**
   * Sets an element, and extends the length if the index is beyond it.
   *
   * @param index from 0 to {@link #LENGTH_MAX} - 1
   * @param element the element
   * @throws IndexOutOfBoundsException if the index is out of range
   */
  public void put(long index, @Nullable Object element) {
    if (index < 0 || index >= LENGTH_MAX) {
      throw new IndexOutOfBoundsException("index " + index);
    }
    numbersAsTheyAre = false;
    append(index, element);
  }

  /** Sets an element and keeps the form in which numbers were stored. */
  void append(long index, @Nullable Object element) {
    length = Math.max(length, index + 1);
    if (index < packed.size()) {
      packed.set((int) index, element);
    } else if (index > packed.size() || index >= CloneBounds.PACKED_ARRAY_MAX) {
      scattered.put(index, element);
    } else {
      packed.add(element);
      closeUp();
    }
    assert isConsistent();
  }

  /** Moves elements that are no longer separated from the packed elements by a hole. */
  private void closeUp() {
    while (!scattered.isEmpty()
        && scattered.firstKey() == packed.size()
        && packed.size() < CloneBounds.PACKED_ARRAY_MAX) {
      packed.add(scattered.pollFirstEntry().getValue());
    }
  }

  private boolean isConsistent() {
    // An element directly after the packed ones is scattered only if these are as many as fit.
    return packed.size() <= length
        && (scattered.isEmpty()
            || (scattered.lastKey() < length
                && (scattered.firstKey() > packed.size()
                    || packed.size() == CloneBounds.PACKED_ARRAY_MAX)));
  }

  /** Appends a hole at the end; used only when a dense array is read. */
  void appendHole() {
    length++;
  }

  /**
   * Returns the properties whose names are not indices.
   *
   * @return the object itself, not a copy
   */
  public JsObject properties() {
    return properties;
  }

  /**
   * Returns the form in which the array was stored. An array with holes is always written in the
   * sparse form.
   *
   * @return whether it is the sparse form
   */
  public boolean isSparse() {
    return sparse;
  }

  /** The elements, by index, that come after the first hole. */
  SequencedMap<Long, @Nullable Object> scattered() {
    return scattered;
  }

  /** The elements before the first hole. */
  List<@Nullable Object> packed() {
    return packed;
  }

  boolean numbersAsTheyAre() {
    return numbersAsTheyAre;
  }

  void setNumbersAsTheyAre() {
    numbersAsTheyAre = true;
  }

  @Override
  public int size() {
    return (int) Math.min(length, Integer.MAX_VALUE);
  }

  @Override
  public @Nullable Object get(int index) {
    if (index >= 0 && index < packed.size()) {
      return packed.get(index);
    }
    if (index < 0 || index >= length) {
      throw new IndexOutOfBoundsException("index " + index + " in an array of length " + length);
    }
    return has(index) ? scattered.get((long) index) : JsUndefined.UNDEFINED;
  }

  @Override
  public @Nullable Object set(int index, @Nullable Object element) {
    Object before = get(index);
    put(index, element);
    return before;
  }

  /**
   * Inserts an element. If the array has holes, elements can be inserted only at the end.
   *
   * @throws UnsupportedOperationException if there are holes, and the index is not the end
   */
  @Override
  public void add(int index, @Nullable Object element) {
    modCount++;
    if (index == length) {
      put(index, element);
      return;
    }
    refuseHoles();
    packed.add(index, element);
    numbersAsTheyAre = false;
    length++;
    assert isConsistent();
  }

  /**
   * Removes an element.
   *
   * @throws UnsupportedOperationException if there are holes
   */
  @Override
  public @Nullable Object remove(int index) {
    modCount++;
    refuseHoles();
    Object removed = packed.remove(index);
    length--;
    assert isConsistent();
    return removed;
  }

  /**
   * Compares as lists do: a hole is equal to {@link JsUndefined#UNDEFINED}. Between two arrays,
   * only elements that are not holes are compared, so runs of holes cost nothing.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    if (IdentityTable.same(this, other)) {
      return true;
    }
    if (other instanceof JsArray array) {
      return length == array.length && coversEntriesOf(array) && array.coversEntriesOf(this);
    }
    return other instanceof List<?> list && list.size() == size() && super.equals(list);
  }

  /**
   * Returns whether each element of another array of this length equals the element of this array.
   */
  private boolean coversEntriesOf(JsArray other) {
    for (int index = 0; index < other.packed.size(); index++) {
      if (!Objects.equals(element(index), other.packed.get(index))) {
        return false;
      }
    }
    for (Map.Entry<Long, @Nullable Object> entry : other.scattered.entrySet()) {
      if (!Objects.equals(element(entry.getKey()), entry.getValue())) {
        return false;
      }
    }
    return true;
  }

  private @Nullable Object element(long index) {
    if (index < packed.size()) {
      return packed.get((int) index);
    }
    return scattered.containsKey(index) ? scattered.get(index) : JsUndefined.UNDEFINED;
  }

  /**
   * Returns the hash code of a list of these elements. The time depends on the number of elements
   * that are not holes: a hostile array of four billion holes is hashed immediately.
   */
  @Override
  public int hashCode() {
    int hash = packed.hashCode();
    long next = packed.size();
    for (Map.Entry<Long, @Nullable Object> entry : scattered.entrySet()) {
      hash = hashWithHoles(hash, entry.getKey() - next);
      hash = 31 * hash + Objects.hashCode(entry.getValue());
      next = entry.getKey() + 1;
    }
    return hashWithHoles(hash, length - next);
  }

  /**
   * Applies {@code hash -> 31 * hash + h} as often as there are holes, where {@code h} is the hash
   * of a hole, by repeated squaring of that linear function.
   */
  private static int hashWithHoles(int hash, long holes) {
    int factor = 31;
    int summand = JsUndefined.UNDEFINED.hashCode();
    int result = hash;
    for (long left = holes; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        result = factor * result + summand;
      }
      summand = factor * summand + summand;
      factor *= factor;
    }
    return result;
  }

  private void refuseHoles() {
    if (entryCount() < length) {
      throw new UnsupportedOperationException("elements of an array with holes cannot be moved");
    }
  }

  /**
   * Returns the elements; runs of holes are counted, so that a hostile array cannot fill a log.
   *
   * @return such as {@code [1, <3 empty>, 2]}
   */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    long[] next = {0};
    for (Object element : packed) {
      describe(text, next, next[0], element);
    }
    scattered.forEach((index, element) -> describe(text, next, index, element));
    if (next[0] < length) {
      separate(text).append('<').append(length - next[0]).append(" empty>");
    }
    return text.append(']').toString();
  }

  private void describe(StringBuilder text, long[] next, long index, @Nullable Object element) {
    if (next[0] < index) {
      separate(text).append('<').append(index - next[0]).append(" empty>");
    }
    separate(text).append(IdentityTable.same(element, this) ? "(this array)" : element);
    next[0] = index + 1;
  }

  private static StringBuilder separate(StringBuilder text) {
    return text.length() == 1 ? text : text.append(", ");
  }
}

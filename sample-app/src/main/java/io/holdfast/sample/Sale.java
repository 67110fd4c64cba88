package io.holdfast.sample;

/**
 * A sale as a buyer finds it.
 *
 * @param number number of the sale; each restocking begins a new one
 * @param offered how many pieces there were at its beginning
 * @param stock how many pieces are left, as far as the shop knows
 */
record Sale(int number, int offered, int stock) {
}

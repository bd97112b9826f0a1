#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "onlinear/belief/belief.hpp"
#include "onlinear/belief/dual_root.hpp"

namespace onlinear::belief {

/// The covariance of a kernel belief, Sigma = a I - a^2 D H^-1 D', and the part of the mean that lies in the
/// span of what it has learned. A column of D is an element: a kept point, in a direction over the blocks.
class DualCovariance {
public:
    explicit DualCovariance(double prior) : a_(prior) {}

    /// A column of a table of elements: element, point, block, coefficient, noise, known, eta.
    static constexpr std::size_t kColumns = 7;

    double prior() const noexcept { return a_; }
    double& prior() noexcept { return a_; }
    std::size_t size() const noexcept { return elements_.size(); }
    std::size_t bytes() const noexcept { return root_.bytes(); }

    /// a <delta, delta> - y'y; leaves y. What lies below the rounding of the first term is taken for that.
    double variance(const double* k, double length, Terms terms, std::vector<double>& y) const {
        y.assign(root_.padded(), 0.0);
        for (std::size_t e = 0; e < elements_.size(); ++e)
            y[e] = a_ * k[elements_[e].point] * overlap(elements_[e], terms);
        root_.solve(y.data());
        const double prior = a_ * length;
        const double v = prior - gram_loops().dot(y.data(), y.data(), y.size());
        return v < kResolution * prior ? kResolution * prior : v;  // lets what is not a number pass
    }
    /// The margin along the demand that left y.
    double margin(const std::vector<double>& y) const noexcept {
        return gram_loops().dot(y.data(), root_.eta().data(), y.size()) / a_;
    }
    /// t = U^-1 y.
    std::vector<double> solved_back(const std::vector<double>& y) const {
        std::vector<double> t = y;
        root_.solve_back(t.data());
        return t;
    }

    /// Gains precision along delta, which left y and t, and moves the mean along Sigma delta. False, with
    /// nothing done, where the precision is too small to be a number.
    bool learn(std::size_t point, Terms terms, double precision, double variance, double move,
               const std::vector<double>& y, const std::vector<double>& t) {
        const double noise = 1 / precision;
        if (!(noise < kReach<double>)) return false;
        std::vector<Term> direction(terms.begin(), terms.end());
        std::sort(direction.begin(), direction.end(),
                  [](const Term& a, const Term& b) { return a.block < b.block; });
        const double sign = direction[0].coefficient < 0 ? -1.0 : 1.0;
        for (Term& term : direction) term.coefficient *= sign;
        std::size_t own = elements_.size();
        for (std::size_t i = 0; i < elements_.size(); ++i)
            if (elements_[i].point == point && same(elements_[i].direction, direction)) own = i;
        if (own < elements_.size())
            learn_again(own, sign, precision, variance, move, y, t);
        else
            learn_first({point, std::move(direction), noise}, sign, variance, move, y, t);
        return true;
    }
    /// Moves the mean by -move D t alone.
    void move_mean(const std::vector<double>& y, double move) { root_.move(y.data(), -move); }
    void scale_mean(double factor) noexcept {
        for (Element& e : elements_) e.weight *= factor;
        root_.scale_mean(factor);
    }
    /// Adds the mean to its coefficients by points, [point][block].
    void add_mean(std::vector<double>& nu, std::size_t blocks) {
        const std::vector<double> weights = root_.nu();
        for (std::size_t e = 0; e < elements_.size(); ++e) {
            elements_[e].weight = weights[e];
            for (const Term& term : elements_[e].direction)
                nu[elements_[e].point * blocks + term.block] += weights[e] * term.coefficient;
        }
    }

    /// Calls f(point, how much an element of it would be missed).
    template <class F>
    void each_worth(const std::vector<double>& own_kernel, F&& f) const {
        for (const Element& e : elements_) {
            const double known = a_ * a_ * e.known;
            f(e.point, e.weight * e.weight * (known > 0 ? 1 / known : own_kernel[e.point]));
        }
    }
    /// Unlearns the elements of a point; the point `last` takes its place.
    void remove_point(std::size_t point, std::size_t last) {
        for (std::size_t e = elements_.size(); e-- > 0;)
            if (elements_[e].point == point) remove_element(e);
        for (Element& e : elements_)
            if (e.point == last) e.point = point;
    }

    /// One block becomes two, independent, each with half the covariance.
    void split() {
        const std::vector<Element> elements = std::move(elements_);
        elements_.clear();
        for (std::uint32_t b = 0; b < 2; ++b)
            for (const Element& e : elements)
                elements_.push_back({e.point, {{b, 1.0}}, e.noise / 2, 2 * e.known, 0.0});
        root_.scale(std::sqrt(0.5));
        root_.twice();
        a_ = std::max(a_ / 2, std::numeric_limits<double>::min());
    }
    /// Lets the covariance grow a share of the way back to what it is before any learning; false, with
    /// nothing done, where that is all the way.
    ///
    /// H / (1 - share) is no longer a D'D with a precision beside each element.
    bool inflate(double share) {
        const double keep = 1 - share;
        if (!(keep > kLeastKept)) return false;
        root_.scale(1 / std::sqrt(keep));
        for (Element& e : elements_) {
            e.noise = 0;
            e.known *= keep;
        }
        return true;
    }
    void clear() {
        elements_.clear();
        root_.clear();
    }

    std::vector<double> root() const { return root_.square(); }
    std::vector<double> table() const {
        std::vector<double> out;
        for (std::size_t i = 0; i < elements_.size(); ++i) {
            const Element& e = elements_[i];
            for (const Term& term : e.direction)
                out.insert(out.end(), {static_cast<double>(i), static_cast<double>(e.point),
                                       static_cast<double>(term.block), term.coefficient, e.noise, e.known,
                                       root_.eta()[i]});
        }
        return out;
    }
    /// Takes a table of elements over so many points and blocks, and the root; false where they do not hold
    /// together.
    bool restore(const std::vector<double>& table, const std::vector<double>& root, std::size_t points,
                 std::size_t blocks) {
        elements_.clear();
        for (std::size_t i = 0; i < table.size(); i += kColumns) {
            const double e = table[i], p = table[i + 1], block = table[i + 2];
            const auto known = static_cast<double>(elements_.size());
            if (!(e >= 0 && (e == known || e == known - 1) && p >= 0 && p < static_cast<double>(points) &&
                  block >= 0 && block < static_cast<double>(blocks)))
                return false;
            if (e == known)
                elements_.push_back({static_cast<std::size_t>(p), {}, table[i + 4], table[i + 5]});
            Element& now = elements_.back();
            if (!(now.point == static_cast<std::size_t>(p) && now.noise >= 0 && now.known >= 0)) return false;
            now.direction.push_back({static_cast<std::uint32_t>(block), table[i + 3]});
        }
        if (!root_.restore(root, elements_.size())) return false;
        for (std::size_t i = 0; i < table.size(); i += kColumns)
            root_.eta(static_cast<std::size_t>(table[i])) = table[i + 6];
        return true;
    }

private:
    struct Element {
        std::size_t point;
        std::vector<Term> direction;  // the first coefficient positive
        double noise = 0.0;           // 1 / the precision gained along it; 0 when mixed with that of others
        double known = 0.0;           // its place in the diagonal of H^-1
        double weight = 0.0;          // its share of the mean, before the scale; read off
    };
    /// Of a prior variance, what the roundings of a few thousand elements hide.
    static constexpr double kResolution = 4096 * std::numeric_limits<double>::epsilon();
    /// A covariance inflated further than this is the prior's.
    static constexpr double kLeastKept = 1e-12;

    static double overlap(const Element& element, Terms terms) noexcept {
        double sum = 0;
        for (const Term& a : element.direction)
            for (const Term& b : terms)
                if (a.block == b.block) sum += a.coefficient * b.coefficient;
        return sum;
    }
    static bool same(const std::vector<Term>& a, const std::vector<Term>& b) noexcept {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i].block != b[i].block || a[i].coefficient != b[i].coefficient) return false;
        return true;
    }

    /// A row more for H; H^-1 gains (t, -1)(t, -1)' over its pivot's square.
    void learn_first(Element element, double sign, double variance, double move, const std::vector<double>& y,
                     const std::vector<double>& t) {
        const double square = variance + element.noise;
        for (std::size_t i = 0; i < elements_.size(); ++i) elements_[i].known += t[i] * t[i] / square;
        element.known = 1 / square;
        root_.append(y.data(), sign, std::sqrt(square), move);
        elements_.push_back(std::move(element));
    }

    /// More precision along an element that has some.
    ///
    /// H^-1 gains beta u u', u = (own element) - t. Where H holds a precision of the element's own, less of
    /// 1 / precision in one place of its diagonal says the same, and says it without a difference.
    void learn_again(std::size_t own, double sign, double gain, double variance, double move,
                     const std::vector<double>& y, const std::vector<double>& t) {
        const double beta = gain / (1 + gain * variance);
        for (std::size_t i = 0; i < elements_.size(); ++i) {
            const double u = (i == own ? sign : 0.0) - t[i];
            elements_[i].known += beta * u * u;
        }
        double& noise = elements_[own].noise;
        std::vector<double> f(root_.padded(), 0.0);
        if (noise > 0) {
            const double less = 1 / (1 / noise + gain);
            f[own] = 1;
            root_.solve(f.data(), own);
            root_.move(f.data(), sign * noise * move);
            // 1 - (noise - less) f'f, which is also a sum, for v = noise (1 - noise f'f).
            double left = 1 - (noise - less) * gram_loops().dot(f.data(), f.data(), f.size());
            if (left < 0.1) left = (less + (noise - less) * std::min(variance / noise, 1.0)) / noise;
            root_.shrink(f.data(), (noise - less) / left);
            noise = less;
        } else {
            for (std::size_t i = 0; i < elements_.size(); ++i)
                f[i] = sign * (i <= own ? root_.at(i, own) : 0.0) - y[i];
            root_.move(f.data(), move);
            root_.shrink(f.data(), beta);
        }
    }

    /// H without element e, and the mean as it would be without it: nu - nu_e x / x_e, x its column of H^-1.
    void remove_element(std::size_t e) {
        std::vector<double> x(root_.padded(), 0.0);
        x[e] = 1;
        root_.solve(x.data(), e);
        root_.solve_back(x.data());
        for (std::size_t i = 0; i < elements_.size(); ++i)
            elements_[i].known = std::max(elements_[i].known - x[i] * (x[i] / x[e]), 0.0);
        root_.remove(e);
        elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(e));
    }

    double a_;
    std::vector<Element> elements_;
    DualRoot root_;
};

}  // namespace onlinear::belief
